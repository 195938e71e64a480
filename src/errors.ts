/**
 * Everything we can say when the answer is no: the service's code, its status and its message, spelled as
 * the service spells them (REST: Table Service Error Codes). docs/errors.md lists the same, held equal by a
 * test.
 */
export const catalogue = {
  AtomFormatNotSupported: [415, 'Atom format is not supported.'],
  AuthenticationFailed: [
    403,
    'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.',
  ],
  AuthorizationFailure: [403, 'This request is not authorized to perform this operation.'],
  AuthorizationPermissionMismatch: [
    403,
    'This request is not authorized to perform this operation using this permission.',
  ],
  AuthorizationProtocolMismatch: [
    403,
    'This request is not authorized to perform this operation using this protocol.',
  ],
  AuthorizationResourceTypeMismatch: [
    403,
    'This request is not authorized to perform this operation using this resource type.',
  ],
  AuthorizationServiceMismatch: [
    403,
    'This request is not authorized to perform this operation using this service.',
  ],
  AuthorizationSourceIPMismatch: [
    403,
    'This request is not authorized to perform this operation using this source IP.',
  ],
  CommandsInBatchActOnDifferentPartitions: [
    400,
    'All commands in a batch must operate on same entity group.',
  ],
  CorsPreflightFailure: [403, 'CORS not enabled or no matching rule found for this request.'],
  DuplicatePropertiesSpecified: [400, 'A property is specified more than one time.'],
  EntityAlreadyExists: [409, 'The specified entity already exists.'],
  EntityTooLarge: [400, 'The entity is larger than the maximum allowed size (1MB).'],
  HostInformationNotPresent: [
    400,
    'The required host information is not present in the request. You must send a non-empty Host header or include the absolute URI in the request line.',
  ],
  InsufficientStorage: [507, 'The server has not enough space to complete the request.'],
  InternalError: [500, 'Server encountered an internal error. Please try again after some time.'],
  InvalidAuthenticationInfo: [
    400,
    'Authentication information is not given in the correct format. Check the value of Authorization header.',
  ],
  InvalidDuplicateRow: [
    400,
    'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
  ],
  InvalidHeaderValue: [400, 'The value for one of the HTTP headers is not in the correct format.'],
  InvalidInput: [400, 'One of the request inputs is not valid.'],
  InvalidQueryParameterValue: [
    400,
    'Value for one of the query parameters specified in the request URI is invalid.',
  ],
  InvalidResourceName: [400, 'The specifed resource name contains invalid characters.'],
  InvalidXmlDocument: [400, 'XML specified is not syntactically valid.'],
  JsonVerboseFormatNotSupported: [415, 'JSON verbose format is not supported.'],
  JsonFormatNotSupported: [415, 'JSON format is not supported.'],
  KeyValueTooLarge: [400, 'The key value is larger than the maximum allowed size.'],
  MediaTypeNotSupported: [415, 'None of the provided media types are supported'],
  MethodNotAllowed: [405, 'The requested method is not allowed on the specified resource.'],
  MissingRequiredHeader: [400, "An HTTP header that's mandatory for this request is not specified."],
  NotImplemented: [501, 'The requested operation is not implemented on the specified resource.'],
  OperationTimedOut: [500, 'The operation could not be completed within the permitted time.'],
  OutOfRangeInput: [400, 'One of the request inputs is out of range.'],
  PropertiesNeedValue: [400, 'The values are not specified for all properties in the entity.'],
  PropertyNameInvalid: [400, 'The property name is invalid.'],
  PropertyNameTooLong: [400, 'The property name exceeds the maximum allowed length (255).'],
  PropertyValueTooLarge: [
    400,
    'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
  ],
  RequestBodyTooLarge: [413, 'The request body is too large and exceeds the maximum permissible limit.'],
  ResourceNotFound: [404, 'The specified resource does not exist.'],
  ServerBusy: [503, 'The server is busy.'],
  TableAlreadyExists: [409, 'The table specified already exists.'],
  TableBeingDeleted: [409, 'The specified table is being deleted. Try operation later.'],
  TableNotFound: [404, 'The table specified does not exist.'],
  TooManyProperties: [
    400,
    'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
  ],
  UpdateConditionNotSatisfied: [412, 'The update condition specified in the request was not satisfied.'],
  WriteOperationNotSupportedOnSecondary: [403, 'Write operations are not allowed.'],
  XMethodIncorrectCount: [400, 'More than one X-HTTP-Method is specified.'],
  XMethodIncorrectValue: [400, 'The specified X-HTTP-Method is invalid.'],
  XMethodNotUsingPost: [400, 'The request uses X-HTTP-Method with an HTTP verb other than POST.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof catalogue;

/** InvalidInput's second text: what the service says of a body that it cannot read. */
export const unreadableBodyMessage = 'An error occurred while processing this request.';
/** InvalidInput's third text: what the service says of an address that it cannot read. */
export const querySyntaxMessage = 'Bad Request - Error in query syntax.';

/** What a refusal may tell beside its code and message. */
export interface Particulars {
  /** HTTP status, where the code has several. */
  readonly status?: number;
  /** Zero-based index of the operation of an entity group transaction that failed. */
  readonly index?: number;
  /** Headers that the answer has to have. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For the log of the server's owner: why, without secrets. The client does not see it. */
  readonly detail?: string;
}

/**
 * An answer for the client: expected, rendered by http/error-body.ts. Whatever else is thrown is a bug of
 * ours, logged and answered as InternalError.
 */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  readonly particulars: Particulars;

  constructor(code: ErrorCode, message: string = catalogue[code][1], particulars: Particulars = {}) {
    super(message);
    this.name = 'ServiceError';
    this.code = code;
    this.status = particulars.status ?? catalogue[code][0];
    this.particulars = particulars;
  }

  /** The same refusal, told as that of one operation of an entity group transaction. */
  at(index: number): ServiceError {
    return new ServiceError(this.code, this.message, { ...this.particulars, index });
  }
}

/** The one answer to whatever is wrong with a credential; the log tells what it was. */
export function authenticationFailed(detail: string): ServiceError {
  return new ServiceError('AuthenticationFailed', undefined, { detail });
}
