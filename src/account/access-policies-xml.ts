import {
  childrenByName,
  formatText,
  invalidXml,
  parseXml,
  type XmlElement,
  xmlOpening,
} from '../http/xml.ts';
import * as limits from '../limits.ts';
import { formatTicksFull, parseTicks } from '../ticks.ts';
import type { AccessPolicy } from './access-policy.ts';

/**
 * Reads the body of Set Table ACL; an empty one has no policies. `permissions` are the letters that the
 * resource knows. Throws InvalidXmlDocument.
 */
export function parseAccessPolicies(body: Buffer, permissions: string): AccessPolicy[] {
  if (body.length === 0) return [];
  const root = parseXml(body);
  if (root.name !== 'SignedIdentifiers' || root.text !== '') throw invalidXml();
  if (root.children.length > limits.accessPoliciesMax) throw invalidXml();
  const policies = root.children.map(element => readPolicy(element, permissions));
  if (new Set(policies.map(({ id }) => id)).size < policies.length) throw invalidXml();
  return policies;
}

function readPolicy(element: XmlElement, permissions: string): AccessPolicy {
  const { Id: id, AccessPolicy: policy } = childrenByName(element, ['Id', 'AccessPolicy']);
  if (element.name !== 'SignedIdentifier') throw invalidXml();
  if (id === undefined || id.text === '' || id.text.length > limits.policyIdUnitsMax) throw invalidXml();
  if (policy === undefined) return { id: id.text };
  const { Start, Expiry, Permission } = childrenByName(policy, ['Start', 'Expiry', 'Permission']);
  const letters = Permission?.text ?? '';
  if (
    [...letters].some((letter, index) => !permissions.includes(letter) || letters.indexOf(letter) < index)
  ) {
    throw invalidXml();
  }
  return {
    id: id.text,
    ...(hasText(Start) ? { start: readTime(Start) } : {}),
    ...(hasText(Expiry) ? { expiry: readTime(Expiry) } : {}),
    ...(letters === '' ? {} : { permissions: letters }),
  };
}

function hasText(element: XmlElement | undefined): element is XmlElement {
  return element !== undefined && element.text !== '';
}

function readTime({ text }: XmlElement): string {
  const ticks = parseTicks(text);
  if (ticks === undefined) throw invalidXml();
  return formatTicksFull(ticks);
}

/** The body of Get Table ACL: each policy with the elements it was set with. */
export function formatAccessPolicies(policies: readonly AccessPolicy[]): string {
  if (policies.length === 0) return `${xmlOpening}<SignedIdentifiers />`;
  return `${xmlOpening}<SignedIdentifiers>${policies.map(formatPolicy).join('')}</SignedIdentifiers>`;
}

function formatPolicy({ id, start, expiry, permissions }: AccessPolicy): string {
  const elements = [
    start === undefined ? '' : formatText('Start', start),
    expiry === undefined ? '' : formatText('Expiry', expiry),
    permissions === undefined ? '' : formatText('Permission', permissions),
  ].join('');
  const policy = elements === '' ? '' : `<AccessPolicy>${elements}</AccessPolicy>`;
  return `<SignedIdentifier>${formatText('Id', id)}${policy}</SignedIdentifier>`;
}
