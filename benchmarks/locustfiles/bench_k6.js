// k6, as fast as it goes.
import http from "k6/http";

export const options = { vus: Number(__ENV.USERS), duration: "10m", summaryTrendStats: [] };

export default function () {
  http.get(__ENV.URL);
}
