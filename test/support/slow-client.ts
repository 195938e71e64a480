import { connect, type Socket } from 'node:net';

/** A client that decides about each byte that it sends, when, and what it does with the answer. */
export interface SlowClient {
  readonly socket: Socket;
  /** What came so far. */
  received(): string;
  /** Resolves once so much as matches has come. Rejects where the server hangs up before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with all that came once the server has hung up. */
  untilHungUp(): Promise<string>;
}

/** Connects; keeps its own end open whatever the server does, and reads unless told not to. */
export function slowClient(endpoint: string): Promise<SlowClient> {
  const { hostname, port } = new URL(endpoint);
  const chunks: Buffer[] = [];
  let isHungUp = false;
  let notice = (): void => {};
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true, noDelay: true });
  const received = (): string => Buffer.concat(chunks).toString('latin1');
  const hungUp = (): void => {
    isHungUp = true;
    notice();
  };
  socket.on('data', chunk => {
    chunks.push(chunk);
    notice();
  });
  socket.on('error', () => {});
  socket.on('end', hungUp);
  socket.on('close', hungUp);
  const wait = (isEnough: () => boolean, problem: string): Promise<string> =>
    new Promise((resolve, reject) => {
      notice = () => {
        if (isEnough()) resolve(received());
        else if (isHungUp) reject(new Error(`${problem}: ${JSON.stringify(received().slice(-500))}`));
      };
      notice();
    });
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () =>
      resolve({
        socket,
        received,
        until: pattern => wait(() => pattern.test(received()), `hung up without ${pattern}`),
        untilHungUp: () => wait(() => isHungUp, ''),
      }),
    );
  });
}
