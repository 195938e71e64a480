import { ServiceError } from '../errors.ts';
import { jsonContentType } from '../http/media-type.ts';
import { formatElement } from './element.ts';
import { checkEntity, checkKey } from './entity/check-entity.ts';
import { parseEntity } from './entity/parse-entity.ts';
import { projectRow } from './entity/project.ts';
import { formatEtag, formatRow } from './entity/row.ts';
import { preferenceHeaders, preferenceOf, requireJson, requireJsonBody, tableOf } from './request.ts';
import { entityPath, entityUrls } from './urls.ts';
import type { EntityWrite } from './write-entity.ts';

/** Inserts an entity that is not there yet (REST: Insert Entity). */
export const insertEntity: EntityWrite = {
  name: 'InsertEntity',
  needs: { permissions: ['a'], resource: 'object' },
  read(request) {
    const { resource } = request;
    if (resource.kind === 'entities' && resource.partitionKey !== undefined) {
      throw new ServiceError('MethodNotAllowed'); // an address of one partition can only be read
    }
    requireJsonBody(request);
    if (preferenceOf(request.header('prefer')) !== 'return-no-content') requireJson(request);
    const { partitionKey, rowKey, properties, text } = parseEntity(request.body);
    if (partitionKey === undefined || rowKey === undefined) throw new ServiceError('PropertiesNeedValue');
    const key = { partitionKey, rowKey };
    checkKey(key);
    checkEntity(key, properties);
    return { verb: 'insert', key, text };
  },
  answer(request, intent, tick) {
    const preference = preferenceOf(request.header('prefer'));
    const table = tableOf(request);
    const { partitionKey, rowKey } = intent.key;
    const location = `${request.base}/${entityPath(table, partitionKey, rowKey)}`;
    const ETag = formatEtag(tick);
    if (preference === 'return-no-content') {
      const headers = { 'Preference-Applied': preference, ETag, Location: location, DataServiceId: location };
      return { status: 204, headers };
    }
    const level = requireJson(request);
    const row = formatRow(intent.key, tick, 'text' in intent ? intent.text : '');
    const urls = entityUrls(request.base, request.account, table);
    return {
      status: 201,
      headers: {
        ...preferenceHeaders(preference),
        ETag,
        Location: location,
        'Content-Type': jsonContentType(level),
      },
      body: formatElement(projectRow(row, { level, select: undefined }, urls), level, request, undefined),
    };
  },
};
