import { createRequire } from 'node:module';
import type { DOMParser, Element, Node } from '@xmldom/xmldom';
import { ServiceError } from '../errors.ts';
import * as limits from '../limits.ts';

/** An element of a small document: with text, or with elements, never both. */
export interface XmlElement {
  readonly name: string;
  readonly text: string;
  readonly children: readonly XmlElement[];
}

/** Successful XML answers begin with a byte order mark (recorded). */
export const xmlOpening = '\ufeff<?xml version="1.0" encoding="utf-8"?>';

const require = createRequire(import.meta.url);
let parserClass: typeof DOMParser | undefined;

/** Loaded with the first document: most servers never read one. */
function newParser(options: ConstructorParameters<typeof DOMParser>[0]): DOMParser {
  parserClass ??= (require('@xmldom/xmldom') as { DOMParser: typeof DOMParser }).DOMParser;
  return new parserClass(options);
}

const elementNode = 1;
const textNode = 3;
const sectionNode = 4;
const declarationNode = 7;
const commentNode = 8;

/**
 * Reads the documents of the surfaces that speak XML. Attributes and comments are ignored. Throws
 * InvalidXmlDocument for what is not well-formed, has a document type (which could hold entities), mixes text
 * with elements, or exceeds limits.xmlBodyBytesMax.
 */
export function parseXml(body: Buffer): XmlElement {
  if (body.length > limits.xmlBodyBytesMax) throw invalidXml();
  const text = body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trim();
  if (/<!(?!--|\[CDATA\[)/.test(text) || illegal.test(text)) throw invalidXml();
  let root: Element | null;
  try {
    const parser = newParser({
      onError: (_level, message) => {
        throw new Error(message);
      },
    });
    root = parser.parseFromString(text, 'text/xml').documentElement;
  } catch {
    throw invalidXml();
  }
  if (root === null) throw invalidXml();
  return readElement(root, 0);
}

function readElement(element: Element, depth: number): XmlElement {
  if (depth > limits.xmlDepthMax) throw invalidXml();
  const children: XmlElement[] = [];
  let text = '';
  for (let node: Node | null = element.firstChild; node !== null; node = node.nextSibling) {
    if (node.nodeType === elementNode) children.push(readElement(node as Element, depth + 1));
    else if (node.nodeType === textNode || node.nodeType === sectionNode) text += node.nodeValue ?? '';
    else if (node.nodeType !== commentNode && node.nodeType !== declarationNode) throw invalidXml();
  }
  if (children.length > 0 && text.trim() !== '') throw invalidXml();
  return {
    name: element.localName ?? element.nodeName,
    text: children.length > 0 ? '' : text.trim(),
    children,
  };
}

/** The children by name. Throws InvalidXmlDocument for one that is not expected, or that comes twice. */
export function childrenByName<Name extends string>(
  { children }: XmlElement,
  expected: readonly Name[],
): Readonly<Partial<Record<Name, XmlElement>>> {
  const found: Partial<Record<Name, XmlElement>> = {};
  for (const child of children) {
    const name = expected.find(candidate => candidate === child.name);
    if (name === undefined || found[name] !== undefined) throw invalidXml();
    found[name] = child;
  }
  return found;
}

export function invalidXml(): ServiceError {
  return new ServiceError('InvalidXmlDocument');
}

/** `<name>text</name>`, or `<name />` for an empty text, as the service writes it. */
export function formatText(name: string, text: string): string {
  return text === '' ? `<${name} />` : `<${name}>${escapeXml(text)}</${name}>`;
}

/** Characters that XML cannot hold. */
const illegal = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u;
const everyIllegal = new RegExp(illegal, 'gu');

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** What XML cannot hold is replaced: messages quote what clients sent. */
export function escapeXml(text: string): string {
  return text.replace(/[&<>]/g, character => escapes[character] as string).replace(everyIllegal, '\ufffd');
}
