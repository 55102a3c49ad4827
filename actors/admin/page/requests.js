// Requests to the operator, and its streams of events.

const KEY = "token"; // In the tab's storage.
const headers = () => {
  const token = sessionStorage.getItem(KEY);
  return token ? {Authorization: "Bearer " + token} : {};
};

export const useToken = (token) => sessionStorage.setItem(KEY, token);

async function bodyOf(response) {
  const type = response.headers.get("Content-Type") || "";
  const body = type.includes("json") ? await response.json()
                                     : await response.text();
  if (response.ok) return body;
  const why = body.error || body.message || response.statusText;
  throw Object.assign(new Error(why), {status: response.status});
}

export const get = async (path) =>
  bodyOf(await fetch(path, {headers: headers()}));

export const put = async (path, value) =>
  bodyOf(await fetch(path, {
    method: "PUT", body: JSON.stringify(value),
    headers: {...headers(), "Content-Type": "application/json"}}));

/** One event of a stream: lines "event: NAME" and "data: JSON". */
function parseEvent(block) {
  const event = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(": ");
    if (colon > 0) event[line.slice(0, colon)] = line.slice(colon + 2);
  }
  return event.data === undefined
    ? undefined : {name: event.event, data: JSON.parse(event.data)};
}

/**
 * Calls `take(name, data)` for each event until the stream ends. By fetch, as
 * an EventSource can send no token.
 */
export async function readStream(path, signal, take) {
  const response = await fetch(path, {headers: headers(), signal});
  if (!response.ok) await bodyOf(response);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ;) {
    const {value, done} = await reader.read();
    if (done) return;
    const blocks = (text + value).split("\n\n");
    text = blocks.pop();
    for (const event of blocks.map(parseEvent)) {
      if (event) take(event.name, event.data);
    }
  }
}
