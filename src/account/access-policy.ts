/**
 * A stored access policy: what a SAS takes from the server by naming it, and loses when it is changed (REST:
 * Define a stored access policy). What is absent must come from the token.
 */
export interface AccessPolicy {
  readonly id: string;
  /** With seven fractional digits, as the service returns it. */
  readonly start?: string;
  readonly expiry?: string;
  readonly permissions?: string;
}
