// The text of a log as a terminal shows it: lines that overwrite themselves
// after "\r", as progress bars do, colours, and no other control characters.

const MOST_SEQUENCE = 256; // Characters of an escape sequence; longer is none.

/** What is at a text's begin: "ESC[1;31m", or as much of it as is there. */
const SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-Z\\`-~])/;
const CUT_SEQUENCE = /^\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)$/;

/** Colours 30-37 and 90-97, bold, dim and underlined, as classes. */
class Style {
  constructor() { this.reset(); }

  reset() { Object.assign(this, {colour: "", weight: "", line: ""}); }

  apply(codes) {
    for (let i = 0; i < codes.length; ++i) {
      const code = codes[i];
      if (code === 38 || code === 48) i += codes[i + 1] === 5 ? 2 : 4;
      else this.applyOne(code);
    }
  }

  applyOne(code) {
    if (code === 0) this.reset();
    else if (code === 1) this.weight = "ansi-bold";
    else if (code === 2) this.weight = "ansi-dim";
    else if (code === 22) this.weight = "";
    else if (code === 4) this.line = "ansi-underlined";
    else if (code === 24) this.line = "";
    else if (code === 39) this.colour = "";
    else if (code >= 30 && code <= 37) this.colour = "ansi-" + (code - 30);
    else if (code >= 90 && code <= 97) this.colour = "ansi-" + (code - 90);
  }

  toString() {
    return [this.colour, this.weight, this.line].filter(Boolean).join(" ");
  }
}

/**
 * Lines are arrays of [text, classes]. feed() returns those that have changed:
 * the first takes the place of the last one of before if `continues`.
 */
export class LogText {
  constructor() {
    this.style = new Style();
    this.rest = "";         // A sequence without its end.
    this.line = [];         // The last one, which may grow.
    this.overwrites = false; // "\r" came last.
    this.begun = false;     // The last line has been returned.
  }

  feed(text) {
    const continues = this.begun;
    const lines = [];
    let left = this.rest + text;
    this.rest = "";
    while (left) {
      const plain = left.search(/[\x00-\x08\x0a-\x1f\x7f]/);
      if (plain !== 0) {
        const end = plain < 0 ? left.length : plain;
        this.add(left.slice(0, end));
        left = left.slice(end);
        continue;
      }
      if (left[0] === "\x1b") {
        const sequence = SEQUENCE.exec(left)?.[0];
        if (!sequence && left.length < MOST_SEQUENCE
            && CUT_SEQUENCE.test(left)) {
          this.rest = left;
          break;
        }
        this.obey(sequence || "");
        left = left.slice(sequence ? sequence.length : 1);
        continue;
      }
      if (left[0] === "\n") {
        lines.push(this.line);
        this.line = [];
        this.overwrites = false;
      } else if (left[0] === "\r") {
        this.overwrites = true;
      } else if (left[0] === "\b") {
        this.removeLast();
      }
      left = left.slice(1);
    }
    this.begun = this.line.length > 0;
    if (this.begun) lines.push(this.line);
    return {continues, lines};
  }

  add(text) {
    if (this.overwrites) this.line = [];
    this.overwrites = false;
    this.line.push([text, this.style.toString()]);
  }

  removeLast() {
    const last = this.line.pop();
    if (!last) return;
    const shorter = last[0].slice(0, -1);
    if (shorter) this.line.push([shorter, last[1]]);
  }

  obey(sequence) {
    if (!sequence.startsWith("\x1b[") || !sequence.endsWith("m")) return;
    const numbers = sequence.slice(2, -1);
    if (!/^[0-9;:]*$/.test(numbers)) return;
    this.style.apply(numbers.split(/[;:]/).map(Number));
  }
}
