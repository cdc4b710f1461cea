// Runs the transformations of a panel, read from standard input with its frames, by Grafana's own code.
// What Grafana's browser has and Node lacks is stood in for, as far as its loading asks for it.
const element = () => ({ getContext: () => ({}), style: {} });
globalThis.window = globalThis;
globalThis.document = { createElement: element, addEventListener() {}, documentElement: { style: {} } };
globalThis.localStorage = { getItem: () => null };

const { standardTransformers, standardTransformersRegistry, toDataFrame, transformDataFrame } = require('@grafana/data');

const known = new Map(Object.values(standardTransformers).map((one) => [one.id, one]));
standardTransformersRegistry.setInit(() =>
  [...known.values()].map((one) => ({ id: one.id, name: one.name, description: '', transformation: one }))
);

const { transformations, frames } = JSON.parse(require('fs').readFileSync(0, 'utf8'));
// One that is not published: it only splits the rows by run.
const published = transformations.filter((one) => one.id !== 'partitionByValues');
transformDataFrame(published, frames.map(toDataFrame), { interpolate: (text) => text }).subscribe((made) => {
  const columns = made.flatMap((frame) => frame.fields.map((field) => [field.name, field.values]));
  console.log(JSON.stringify(Object.fromEntries(columns)));
});
