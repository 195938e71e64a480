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

const barUnits = 24;
const stepsPerMeter = 10;

/** How far a long piece of work is: a bar on a terminal, a line for each tenth anywhere else. */
export class Meter {
  readonly #progress: Progress;
  readonly #title: string;
  readonly #total: number;
  readonly #beganAtMs: number = performance.now();
  /** What was done before this run, which says nothing of its rate. */
  #doneBefore: number | undefined;
  #steps = 0;

  constructor(progress: Progress, title: string, total: number) {
    this.#progress = progress;
    this.#title = title;
    this.#total = total;
  }

  show(done: number): void {
    this.#doneBefore ??= done;
    const elapsedMs = performance.now() - this.#beganAtMs;
    const line = `${this.#title} ${meterText(done, this.#total, this.#doneBefore, elapsedMs)}`;
    const steps = Math.floor((done / this.#total) * stepsPerMeter);
    if (steps > this.#steps) this.#progress.step(line);
    else this.#progress.show(line);
    this.#steps = steps;
  }
}

/** Bar, percent, rate and the time that is left at that rate. */
export function meterText(done: number, total: number, doneBefore: number, elapsedMs: number): string {
  const share = total === 0 ? 1 : done / total;
  const filled = Math.floor(share * barUnits);
  const bar = '█'.repeat(filled) + '░'.repeat(barUnits - filled);
  const percent = `${Math.floor(share * 100)}`.padStart(3);
  if (done === doneBefore || elapsedMs === 0) return `${bar} ${percent} %`;
  const perSecond = ((done - doneBefore) / elapsedMs) * 1000;
  const leftSeconds = Math.ceil((total - done) / perSecond);
  const left = `${Math.floor(leftSeconds / 60)}:${`${leftSeconds % 60}`.padStart(2, '0')}`;
  return `${bar} ${percent} %  ${Math.round(perSecond).toLocaleString('en-US')}/s  ${left} left`;
}
