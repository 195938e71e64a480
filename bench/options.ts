/** What the command lines of these scripts have in common. */

export function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name}: ${text} is not a positive number`);
  return value;
}

/** Tells what a script takes, and ends it. */
export function endWithHelp(help: string): never {
  process.stdout.write(help);
  process.exit(0);
}
