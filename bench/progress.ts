/** Where a long run is: one line that is written over on a terminal, plain lines anywhere else. */

export class Progress {
  readonly #isTerminal: boolean = process.stderr.isTTY === true;
  #shown = false;

  /** A state that the next one replaces; a log does not get it. */
  show(line: string): void {
    if (!this.#isTerminal) return;
    process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
    this.#shown = true;
  }

  /** Something that was done; a terminal has room for the last of these only. */
  step(line: string): void {
    if (this.#isTerminal) this.show(line);
    else process.stderr.write(`${line}\n`);
  }

  /** Something that stays to be read. */
  note(line: string): void {
    this.clear();
    process.stderr.write(`${line}\n`);
  }

  clear(): void {
    if (this.#shown) process.stderr.write('\r\u001b[K');
    this.#shown = false;
  }
}
