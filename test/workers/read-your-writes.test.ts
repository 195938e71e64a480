import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { start, until } from '../support/program.ts';
import type { RawResponse } from '../support/raw-client.ts';
import { entityPath, json, noContent } from '../support/wire.ts';
import { connectionTo, logLines, type Send } from '../support/worker-processes.ts';

const connections = 4;
const rounds = 400;
const xml = { Accept: 'application/xml', 'Content-Type': 'application/xml' };

describe('what one worker has acknowledged', () => {
  it('is seen by each read that is sent after it, by whichever worker', { timeout: 120_000 }, async t => {
    const server = await start(t, ['--workers', '2', '--memory', '--log-level', 'debug']);
    const senders = Array.from({ length: connections }, () => connectionTo(t, server.endpoint));
    const [first] = senders as [Send];
    await Promise.all(senders.map(send => send({ path: '/Tables' })));
    await until(server, () => logLines(server).filter(({ msg }) => msg === 'request').length >= connections);
    const workers = logLines(server).filter(({ msg }) => msg === 'request');
    assert.equal(new Set(workers.map(line => line.process)).size, 2, 'both workers have connections');

    const expect = (response: RawResponse, status: number): RawResponse => {
      assert.equal(response.status, status, response.body);
      return response;
    };
    /** Acts on one connection, then looks from all of them at once. */
    const actAndLook = async (
      index: number,
      act: (send: Send) => Promise<unknown>,
      look: (send: Send) => Promise<unknown>,
    ): Promise<void> => {
      await act(senders[index % connections] as Send);
      await Promise.all(senders.map(look));
    };
    const create = (send: Send, table: string) =>
      send({ method: 'POST', path: '/Tables', headers: noContent, body: `{"TableName":"${table}"}` });

    expect(await create(first, 'people'), 204);
    const path = entityPath('people', 'p', 'r');
    for (let round = 0; round < rounds; round++) {
      const body = `{"round":${round}}`;
      await actAndLook(
        round,
        async send => expect(await send({ method: 'PUT', path, headers: json, body }), 204),
        async send => {
          const entity = expect(await send({ path }), 200).json();
          assert.equal(entity.round, round, 'by a point read');
        },
      );
      await actAndLook(
        round + 1,
        async send =>
          expect(await send({ method: 'MERGE', path, headers: json, body: `{"merged":${round}}` }), 204),
        async send => {
          const { value } = expect(await send({ path: '/people()' }), 200).json<{ value: object[] }>();
          assert.deepEqual(
            value.map(entity => (entity as { merged: number }).merged),
            [round],
            'by a scan',
          );
        },
      );
      if (round % 8 !== 0) continue;
      await actAndLook(
        round,
        async send => expect(await send({ method: 'DELETE', path, headers: { 'If-Match': '*' } }), 204),
        async send => expect(await send({ path }), 404),
      );
      const table = `made${round}`;
      await actAndLook(
        round,
        async send => expect(await create(send, table), 204),
        async send => {
          expect(await send({ path: `/${table}()` }), 200);
          expect(await send({ path: `/Tables('${table}')` }), 200);
        },
      );
      const policy = `<SignedIdentifiers><SignedIdentifier><Id>of${round}</Id></SignedIdentifier></SignedIdentifiers>`;
      await actAndLook(
        round + 1,
        async send =>
          expect(await send({ method: 'PUT', path: `/${table}?comp=acl`, headers: xml, body: policy }), 204),
        async send =>
          assert.match(
            (await send({ path: `/${table}?comp=acl`, headers: xml })).body,
            new RegExp(`of${round}<`),
          ),
      );
      await actAndLook(
        round,
        async send => expect(await send({ method: 'DELETE', path: `/Tables('${table}')` }), 204),
        async send => {
          expect(await send({ path: `/${table}()` }), 404);
          assert.ok(
            !expect(await send({ path: '/Tables' }), 200).body.includes(table),
            'in the list of tables',
          );
        },
      );
      const origin = `http://of${round}.example`;
      const properties = `<StorageServiceProperties><Cors><CorsRule><AllowedOrigins>${origin}</AllowedOrigins><AllowedMethods>GET</AllowedMethods><MaxAgeInSeconds>1</MaxAgeInSeconds><ExposedHeaders/><AllowedHeaders/></CorsRule></Cors></StorageServiceProperties>`;
      await actAndLook(
        round,
        async send =>
          expect(
            await send({
              method: 'PUT',
              path: '/?restype=service&comp=properties',
              headers: xml,
              body: properties,
            }),
            202,
          ),
        async send => {
          const { headers } = expect(await send({ path: '/Tables', headers: { Origin: origin } }), 200);
          assert.equal(headers['access-control-allow-origin'], origin, 'by a CORS rule');
        },
      );
    }
  });
});
