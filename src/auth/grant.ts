/** What an operation needs of the caller, as the account SAS names it (REST: Create an account SAS). */
export interface Needs {
  /** Any of these suffices; of one that is several letters, all are needed. */
  readonly permissions: readonly string[];
  readonly resource: 'service' | 'container' | 'object';
}

/** What a verified credential allows. A key of the account allows everything. */
export interface Grant {
  readonly account: string;
  readonly by: 'shared key';
}
