// Texts: what is invisible is spelled out, and nothing is ever taken for markup.

// With `u` a half of a pair is found only where it stands alone.
const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]/gu;

function visible(text) {
  return text.replace(hidden, spelled);
}

function spelled(letter) {
  return "\\u{" + letter.codePointAt(0).toString(16) + "}";
}

function oneLine(text) {
  return visible(text.replace(/[\n\r\t]+/g, " "));
}

// A moment of the run: a time, or, where the run took none, the place of its event.
function moment(at) {
  return run.byEvent ? "#" + (at + 1) : duration(at);
}

function spent(ms) {
  return run.byEvent ? plural(ms, "event") : duration(ms);
}

function duration(ms) {
  if (ms < 1000) return ms + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(ms < 10000 ? 2 : 1) + " s";
  const seconds = Math.round(ms / 1000), minutes = Math.floor(seconds / 60);
  if (minutes < 60) return minutes + " min " + (seconds % 60) + " s";
  return Math.floor(minutes / 60) + " h " + (minutes % 60) + " min";
}

// CallValidated -> Call validated
function spaced(name) {
  const words = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function plural(count, word) {
  return count.toLocaleString("en") + " " + word + (count === 1 ? "" : "s");
}

// The one word that says most about an event.
function brief(fields) {
  for (const name of ["verdict", "built", "result", "scope"]) {
    const value = fields[name];
    if (value && typeof value === "object") {
      const kind = Object.keys(value)[0] || "";
      const inner = value[kind] || value;
      const failure = inner.failure || inner;
      return spaced(kind).toLowerCase() + (failure.message ? ": " + failure.message : "");
    }
  }
  if (typeof fields.outcome === "string") return fields.outcome.replaceAll("_", " ");
  if (typeof fields.output === "string") return fields.output;
  if (typeof fields.batch_id === "string") return "batch " + fields.batch_id;
  return "";
}

// All words of a value, for the search.
function flatten(value, into) {
  if (Array.isArray(value)) for (const item of value) flatten(item, into);
  else if (value && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) { into.push(key); flatten(item, into); }
  } else if (value !== null && value !== undefined) into.push(String(value));
  return into;
}
