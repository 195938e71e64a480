import { createServer, type Server } from 'node:net';
import type { Store } from '../store/store.ts';
import { converse } from './channel.ts';

type WriteName = 'createTable' | 'deleteTable' | 'mutate' | 'writeAccessPolicies' | 'updateServiceProperties';

/** What a worker asks the writer to do: one of the store's writes, and what it is called with. */
export type Write<Intent> = {
  [Name in WriteName]: readonly [name: Name, ...parameters: Parameters<Store<Intent>[Name]>];
}[WriteName];

/** Does for workers what they ask for. `onSettings` is awaited before an update of service properties is acknowledged. */
export function serveWrites<Intent>(store: Store<Intent>, onSettings: () => Promise<void>): Server {
  const answer = async (write: Write<Intent>): Promise<unknown> => {
    switch (write[0]) {
      case 'createTable':
        return store.createTable(write[1], write[2]);
      case 'deleteTable':
        return store.deleteTable(write[1], write[2]);
      case 'mutate':
        return store.mutate(write[1], write[2], write[3], write[4], write[5]);
      case 'writeAccessPolicies':
        return store.writeAccessPolicies(write[1], write[2]);
      case 'updateServiceProperties':
        await store.updateServiceProperties(write[1], write[2], write[3]);
        return onSettings();
    }
  };
  return createServer(socket => {
    converse(socket, answer);
    // A worker that ended hears of nothing any more; what it asked for is done all the same.
    socket.on('error', () => socket.destroy());
  });
}
