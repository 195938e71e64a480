import type { ServiceError } from '../errors.ts';
import { formatTicksFull, type Ticks } from '../ticks.ts';
import type { Answer } from './answer.ts';
import { type Format, isJson, jsonContentType } from './media-type.ts';

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
  const index = error.index === undefined ? '' : `${error.index}:`;
  const message = `${index}${error.message}\nRequestId:${requestId}\nTime:${formatTicksFull(time)}`;
  const { code, status } = error;
  if (shape !== 'xml service' && isJson(shape)) {
    return {
      status,
      headers: { 'Content-Type': jsonContentType(shape), 'x-ms-error-code': code },
      body: JSON.stringify({ 'odata.error': { code, message: { lang: 'en-US', value: message } } }),
    };
  }
  const [prefix, declaration] = shape === 'xml service' ? ['m:', 'xmlns:m'] : ['', 'xmlns'];
  return {
    status,
    headers: {
      'Content-Type': shape === 'xml service' ? 'application/xml' : 'application/xml;charset=utf-8',
      'x-ms-error-code': code,
    },
    body: `<?xml version="1.0" encoding="utf-8"?><${prefix}error ${declaration}="${metadataNamespace}"><${prefix}code>${code}</${prefix}code><${prefix}message xml:lang="en-US">${escapeXml(message)}</${prefix}message></${prefix}error>`,
  };
}

const xmlEscapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Messages quote what clients sent: characters that XML cannot hold are replaced. */
function escapeXml(text: string): string {
  return text
    .replace(/[&<>]/g, character => xmlEscapes[character] as string)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd');
}
