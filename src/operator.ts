import type { ServerResponse } from 'node:http';
import type { Metrics } from './observe/metrics.ts';

/** The operators' paths, under a name that no account can have; they need no credentials and shed no load. */
export async function answerOperator(
  url: string,
  outgoing: ServerResponse,
  metrics: Metrics,
  isReady: boolean,
): Promise<void> {
  switch (url.split('?', 1)[0]) {
    case '/-/healthy':
      return send(outgoing, 200, 'healthy\n');
    case '/-/ready':
      return isReady ? send(outgoing, 200, 'ready\n') : send(outgoing, 503, 'not ready\n');
    case '/-/metrics':
      return send(outgoing, 200, await metrics.render(), metrics.contentType);
    default:
      return send(outgoing, 404, 'not found: try /-/healthy, /-/ready or /-/metrics\n');
  }
}

function send(
  outgoing: ServerResponse,
  status: number,
  body: string,
  type = 'text/plain; charset=utf-8',
): void {
  outgoing.writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) });
  outgoing.end(body);
}
