/** One of the two servers that bench/frameworks.ts compares, each in a process of its own. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJobs } from './child.ts';
import { rowText, scanPartitionKey } from './entities.ts';
import { installedModule } from './install.ts';

export type Framework = 'node:http' | 'fastify';

const body = Buffer.from(rowText({ partitionKey: scanPartitionKey, rowKey: '000000000000' }, 0));
const headers: Record<string, string> = {
  'Cache-Control': 'no-cache',
  'Content-Type': 'application/json;odata=minimalmetadata;streaming=true;charset=utf-8',
  'Content-Length': `${body.length}`,
  ETag: `W/"datetime'2021-08-02T18%3A01%3A40.1925388Z'"`,
  Server: 'Windows-Azure-Table/1.0 Microsoft-HTTPAPI/2.0',
  'x-ms-request-id': 'f60fb8a0-b002-003e-0982-ae3ae4000000',
  'x-ms-version': '2019-02-02',
  'X-Content-Type-Options': 'nosniff',
};

/** As much of fastify as is used here; it is not there to take types from when the project is checked. */
interface FastifyReply {
  code(status: number): FastifyReply;
  headers(values: Record<string, string>): FastifyReply;
  send(payload: Buffer): FastifyReply;
}
interface FastifyServer {
  server: Server;
  get(path: string, handler: (request: unknown, reply: FastifyReply) => void): void;
  listen(options: { port: number; host: string }): Promise<string>;
}

async function listen(framework: Framework): Promise<Server> {
  if (framework === 'fastify') {
    const fastify = installedModule('fastify') as (options: { logger: boolean }) => FastifyServer;
    const application = fastify({ logger: false });
    application.get('/:account/:resource', (_request, reply) => {
      reply.code(200).headers(headers).send(body);
    });
    await application.listen({ port: 0, host: '127.0.0.1' });
    return application.server;
  }
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return server;
}

answerJobs<{ framework: Framework }>(async ({ framework }) => {
  const server = await listen(framework);
  return { port: (server.address() as AddressInfo).port };
});
