export interface Judgement {
  readonly passed: number;
  /** Why the suite failed; undefined where it told of no failure, of all its cases, and of as many as stated. */
  readonly fault: string | undefined;
}

/** Judges a suite by what it wrote on its standard output. Its own count must agree with its lines. */
export function judge(standardOutput: string, casesMin: number): Judgement {
  const lines = standardOutput.split(/\r?\n/);
  const passed = lines.filter(line => line.startsWith('ok ')).length;
  const failed = lines.filter(line => line.startsWith('not ok ')).length;
  const lastLine = lines.findLast(line => line !== '');
  return { passed, fault: faultOf() };

  function faultOf(): string | undefined {
    if (lastLine !== `cases: ${passed} passed, ${failed} failed`) {
      return `it ended after ${passed + failed} cases, and its last line is not their count`;
    }
    if (failed > 0) return `${failed} of ${passed + failed} cases failed`;
    if (passed < casesMin) return `${passed} cases ran, and at least ${casesMin} are stated`;
    return undefined;
  }
}
