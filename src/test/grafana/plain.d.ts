// Grafana's enumerations are nominal; what JSON has are their values.
export type Plain<T> = T extends string
  ? `${T}`
  : T extends number | boolean | null | undefined
    ? T
    : T extends readonly (infer U)[]
      ? readonly Plain<U>[]
      : T extends object
        ? { readonly [K in keyof T]: Plain<T[K]> }
        : T;
