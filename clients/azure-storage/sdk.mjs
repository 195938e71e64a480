/**
 * The legacy SDK with promises for callbacks. It checks table names, the size of a batch and its one partition
 * itself, and cannot send what breaks those rules. It has no types, so neither has this suite.
 */
import assert from 'node:assert/strict';
import azure from 'azure-storage';
import {
  accountKey,
  accountName,
  freshTableName,
  secondaryEndpoint,
  tableEndpoint,
} from '../server-under-test.ts';

export const { TableBatch, TableQuery, TableUtilities } = azure;
export const make = TableUtilities.entityGenerator;

/** A proxy is for the world outside; the SDK would use it for this machine, too. */
function direct(service) {
  service.setProxy(null);
  return service;
}

function serviceAt(primaryHost, key = accountKey) {
  return direct(
    azure.createTableService(accountName, key, { primaryHost, secondaryHost: secondaryEndpoint }),
  );
}

export const service = serviceAt(tableEndpoint);

/** It takes the secondary for its primary, for otherwise it sends no writes there. */
export const serviceOnSecondary = serviceAt(secondaryEndpoint);

export function serviceWithKey(key) {
  return serviceAt(tableEndpoint, key);
}

export function serviceWithSas(sas) {
  return direct(azure.createTableServiceWithSas(tableEndpoint, sas));
}

export function accountSas(accessPolicy, key = accountKey) {
  const Expiry = azure.date.minutesFromNow(60);
  const AccessPolicy = { Services: 't', ResourceTypes: 'sco', Expiry, ...accessPolicy };
  return azure.generateAccountSharedAccessSignature(accountName, key, { AccessPolicy });
}

export function tableSas(table, accessPolicy, signer = service) {
  const Expiry = azure.date.minutesFromNow(60);
  return signer.generateSharedAccessSignature(table, { AccessPolicy: { Expiry, ...accessPolicy } });
}

export function policySas(table, Id) {
  return service.generateSharedAccessSignature(table, { Id });
}

/** Calls a method of the SDK; resolves to its result, or to the answer where there is none. */
export function call(client, method, ...parameters) {
  return new Promise((resolve, reject) => {
    client[method](...parameters, (error, result) => (error ? reject(error) : resolve(result)));
  });
}

export async function freshTable() {
  const name = freshTableName();
  await call(service, 'createTable', name);
  return name;
}

/** An entity as the SDK wants it: every value with its type, at least in batches. */
export function entity(partitionKey, rowKey, properties = {}) {
  return { PartitionKey: make.String(partitionKey), RowKey: make.String(rowKey), ...properties };
}

export function get(table, partitionKey, rowKey, options = {}) {
  return call(service, 'retrieveEntity', table, partitionKey, rowKey, options);
}

/** All pages of a query. */
export async function queryAll(table, query = new TableQuery(), client = service, options = {}) {
  const entries = [];
  let token = null;
  do {
    const page = await call(client, 'queryEntities', table, query, token, options);
    entries.push(...page.entries);
    token = page.continuationToken;
  } while (token);
  return entries;
}

/** An entity with the tag that a conditional write shall have. */
export function withEtag(descriptor, etag) {
  return { ...descriptor, '.metadata': { etag } };
}

export function etagOf(result) {
  return result['.metadata'].etag;
}

export function batchOf(...operations) {
  const batch = new TableBatch();
  for (const [kind, descriptor, options] of operations) batch[kind](descriptor, options);
  return batch;
}

/** For assert.rejects: an answer of the service as the SDK's own exception, with its status and code. */
export function refusal(status, code) {
  return error => {
    const expected = code === undefined ? `${status}` : `${status} ${code}`;
    const actual = code === undefined ? `${error.statusCode}` : `${error.statusCode} ${error.code}`;
    if (error.name === 'StorageError' && actual === expected) return true;
    throw new Error(`expected ${expected}, but the answer is ${error.name} ${actual}: ${error.message}`);
  };
}

export function failure(status, code, index) {
  return error => {
    assert.ok(refusal(status, code)(error));
    assert.match(error.message, new RegExp(`^${index}:.+\nRequestId:.+\nTime:.+Z$`));
    return true;
  };
}
