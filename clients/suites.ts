/** A program and its arguments. */
export type Command = readonly [program: string, ...parameters: string[]];

/** An official client and how it is brought to drive the server; the folder's README says what a suite owes. */
export interface Suite {
  readonly name: string;
  /** Below `clients/`; its commands run there. */
  readonly folder: string;
  /** What the machine must have, each by a command that succeeds where it is. Without it the suite is skipped. */
  readonly needs: readonly { readonly what: string; readonly proof: Command }[];
  /** What has to be installed before the first run, and again when a file that it was made from changes. */
  readonly installation?: {
    readonly into: string;
    readonly madeFrom: readonly string[];
    readonly commands: readonly Command[];
  };
  readonly command: Command;
  /** Fewer cases than this are a failure: a suite must not shrink unnoticed. */
  readonly casesMin: number;
}

const fromNpm = {
  into: 'node_modules',
  madeFrom: ['package.json', 'package-lock.json'],
  commands: [['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']],
} as const;

export const suites: readonly Suite[] = [
  {
    name: 'javascript',
    folder: 'javascript',
    needs: [],
    installation: fromNpm,
    command: ['node', '--import', 'tsx', 'suite.ts', 'data-tables-13'],
    casesMin: 272,
  },
  {
    name: 'javascript-12',
    folder: 'javascript',
    needs: [],
    installation: fromNpm,
    command: ['node', '--import', 'tsx', 'suite.ts', 'data-tables-12'],
    casesMin: 251,
  },
  {
    name: 'azure-storage',
    folder: 'azure-storage',
    needs: [],
    installation: fromNpm,
    command: ['node', '--import', 'tsx', 'suite.mjs'],
    casesMin: 202,
  },
  {
    name: 'python',
    folder: 'python',
    needs: [
      {
        what: 'Python 3 with venv',
        proof: ['python3', '-c', 'import sys, venv, ensurepip; assert sys.version_info >= (3, 9)'],
      },
    ],
    installation: {
      into: 'installed',
      madeFrom: ['requirements.txt'],
      commands: [
        ['python3', '-m', 'venv', '--clear', 'installed'],
        [
          'installed/bin/python',
          '-m',
          'pip',
          'install',
          '--quiet',
          '--disable-pip-version-check',
          '--requirement',
          'requirements.txt',
        ],
      ],
    },
    command: ['installed/bin/python', 'suite.py'],
    casesMin: 355,
  },
  {
    name: 'go',
    folder: 'go',
    needs: [{ what: 'Go', proof: ['go', 'version'] }],
    command: ['go', 'run', '.'],
    casesMin: 371,
  },
  {
    name: 'java',
    folder: 'java',
    needs: [
      { what: 'a Java compiler', proof: ['javac', '-version'] },
      { what: 'Maven', proof: ['mvn', '--version'] },
    ],
    command: ['mvn', '-q', '-B', 'compile', 'exec:java'],
    casesMin: 225,
  },
];
