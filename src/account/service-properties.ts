/**
 * What the owner of an account sets for a service (REST: Set Table Service Properties). Logging and metrics
 * are kept and returned; CORS is acted upon.
 */
export interface ServiceProperties {
  readonly logging: Logging;
  readonly hourMetrics: RequestMetrics;
  readonly minuteMetrics: RequestMetrics;
  /** The first that matches counts. */
  readonly cors: readonly CorsRule[];
}

export interface Logging {
  readonly version: string;
  readonly read: boolean;
  readonly write: boolean;
  readonly delete: boolean;
  readonly retention: Retention;
}

export interface RequestMetrics {
  readonly version: string;
  readonly enabled: boolean;
  /** There when metrics are enabled. */
  readonly includeApis?: boolean;
  readonly retention: Retention;
}

export interface Retention {
  readonly enabled: boolean;
  /** 1 to 365, there when retention is enabled. */
  readonly days?: number;
}

/** Which pages of other origins may use the service, and how (REST: CORS support for Azure Storage). */
export interface CorsRule {
  readonly allowedOrigins: readonly string[];
  readonly allowedMethods: readonly string[];
  /** Names, and prefixes that end with an asterisk; as they were written. */
  readonly allowedHeaders: readonly string[];
  readonly exposedHeaders: readonly string[];
  readonly maxAgeSeconds: number;
}

const noRetention: Retention = { enabled: false };

/** Of an account whose owner has set nothing. */
export const defaultServiceProperties: ServiceProperties = {
  logging: { version: '1.0', read: false, write: false, delete: false, retention: noRetention },
  hourMetrics: { version: '1.0', enabled: false, retention: noRetention },
  minuteMetrics: { version: '1.0', enabled: false, retention: noRetention },
  cors: [],
};
