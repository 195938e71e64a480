/**
 * Every number the services refuse to exceed, with its unit and source. "Table Service Data Model" is the
 * REST documentation's page "Understanding the Table Service Data Model"; where it is silent or says two
 * things, the comment gives the observed behaviour of the service.
 */

/** Data Model: 255 properties with the three system ones. */
export const customPropertiesMax = 252;
/** Data Model: a property name, in UTF-16 code units. */
export const propertyNameUnitsMax = 255;
/** Data Model: a String property holds 64 KiB of UTF-16. */
export const stringValueUnitsMax = 32 * 1024;
/** Data Model: a Binary property. */
export const binaryValueBytesMax = 64 * 1024;
/** Data Model: one entity with its names and keys, by the published estimate (see table/entity/measure.ts). */
export const entityBytesMax = 1024 * 1024;

/** Each key, in UTF-16 code units. The documents say both "1 KiB" and "1,024 characters". */
export const keyUnitsMax = 1024;
/** Both keys of an entity together, in UTF-8: what fits in an index row of every store that we know. */
export const keysUtf8BytesMax = 2600;

/** Data Model: table names. */
export const tableNameUnitsMin = 3;
export const tableNameUnitsMax = 63;

/** Performing Entity Group Transactions: operations in one change set. */
export const transactionOperationsMax = 100;
/** Performing Entity Group Transactions: 4 MiB; single requests are held to the same. */
export const requestBodyBytesMax = 4 * 1024 * 1024;

/** Establishing a stored access policy: policies of one table. */
export const accessPoliciesMax = 5;
/** Establishing a stored access policy: the id of one, in UTF-16 code units. */
export const policyIdUnitsMax = 64;
/** CORS support: rules of one service. */
export const corsRulesMax = 5;
/** CORS support: origins in a rule, and the length of each. */
export const corsOriginsMax = 64;
export const corsOriginUnitsMax = 256;
/** CORS support: names, and prefixes, in each list of headers of a rule. */
export const corsHeadersMax = 64;
export const corsHeaderPrefixesMax = 2;
/** CORS support: the rules of a service together, without their XML tags. */
export const corsRulesBytesMax = 2048;
/** Set Table Service Properties: days that logs and metrics are kept. */
export const retentionDaysMax = 365;
/** Ours: documents of access policies and service properties are small. */
export const xmlBodyBytesMax = 64 * 1024;
export const xmlDepthMax = 16;

/** Query Timeout and Pagination: entities (or tables) in one page. */
export const pageEntitiesMax = 1000;
/** Query Timeout and Pagination: how long one page may be worked on. */
export const pageDurationMsMax = 5000;
/** Ours: a page ends with a token after this many bytes, so that no answer grows without bound. */
export const pageBytesMax = 4 * 1024 * 1024;

/** Common REST API headers: x-ms-client-request-id. */
export const clientRequestIdUnitsMax = 1024;
/** Authentication: how far the request's date may be from the server's clock, either way. */
export const clockSkewMsMax = 15 * 60 * 1000;
/** Ours: how far the clock of a token's issuer may be from the server's, either way. */
export const bearerClockSkewSecondsMax = 60;

/** Node counts the request line as header: the longest legal keys, percent-encoded, must fit. */
export const requestHeaderBytesMax = 128 * 1024;
export const requestHeadersMax = 2000;
/** Nested parentheses and `not` in a $filter: bounds the recursion, far above what clients build. */
export const filterDepthMax = 100;
/** Operands in a $filter: the service documents 15 and accepts more; bounds the work a row costs. */
export const filterComparisonsMax = 1000;
/** Words, literals and parentheses in a $filter, which may be of megabytes inside a batch: bounds their reading. */
export const filterTokensMax = 20_000;

/** Backpressure: past any of these the answer is 503 ServerBusy before the body is read. */
export const bodyBytesInFlightMax = 256 * 1024 * 1024;
/** Of answers that clients have not taken yet, beyond what the system has. */
export const unsentBytesMax = 256 * 1024 * 1024;
export const queuedWritesMax = 4096;
export const queuedWriteBytesMax = 32 * 1024 * 1024;
export const concurrentScansMax = 64;
export const connectionsMax = 10_000;

/** Ours: how long the server waits for its clients (http/connections.ts says for what). */
export const headTimeoutMs = 60_000;
export const requestTimeoutMs = 120_000;
/** Longer than clients keep idle connections: of the two, the server must not be the one that hangs up. */
export const idleTimeoutMs = 120_000;
export const answerTimeoutMs = 120_000;
export const lingerTimeoutMs = 2000;
export const closeTimeoutMs = 8000;
export const timeoutCheckMs = 5000;

/** What Retry-After says with ServerBusy. */
export const retryAfterSeconds = 1;

/** With several processes: how long a write waits for a new writer, when the last one ended. */
export const writerWaitMs = 5000;
