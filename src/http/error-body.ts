import type { ServiceError } from '../errors.ts';
import { formatTicksFull, type Ticks } from '../ticks.ts';
import type { Answer } from './answer.ts';
import { type Format, isJson, jsonContentType } from './media-type.ts';
import { escapeXml } from './xml.ts';

/**
 * How errors look: as OData in the format the request asked for, or in the XML of the surfaces that speak
 * XML alone, authentication among them (REST: Status and Error Codes; recorded).
 */
export type ErrorShape = Format | 'xml service';

const metadataNamespace = 'http://schemas.microsoft.com/ado/2007/08/dataservices/metadata';

export function renderError(
  error: ServiceError,
  shape: ErrorShape,
  requestId: string,
  time: Ticks,
): Answer & { readonly body: string } {
  const { index } = error.particulars;
  const prefixed = index === undefined ? error.message : `${index}:${error.message}`;
  const message = `${prefixed}\nRequestId:${requestId}\nTime:${formatTicksFull(time)}`;
  const { code, status } = error;
  if (shape !== 'xml service' && isJson(shape)) {
    return {
      status,
      headers: { 'Content-Type': jsonContentType(shape), 'x-ms-error-code': code },
      body: JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value: message } } }),
    };
  }
  const isAuthentication = status === 401 || status === 403;
  const [prefix, declaration] = shape === 'xml service' ? ['m:', 'xmlns:m'] : ['', 'xmlns'];
  return {
    status,
    // Of refused credentials the status line repeats the message (recorded).
    ...(shape === 'xml service' && isAuthentication ? { reason: error.message } : {}),
    headers: {
      'Content-Type': shape === 'xml service' ? 'application/xml' : 'application/xml;charset=utf-8',
      'x-ms-error-code': code,
    },
    body: `<?xml version="1.0" encoding="utf-8"?><${prefix}error ${declaration}="${metadataNamespace}"><${prefix}code>${code}</${prefix}code><${prefix}message xml:lang="en-US">${escapeXml(message)}</${prefix}message></${prefix}error>`,
  };
}
