import type { Socket } from 'node:net';
import { DefaultSerializer, deserialize } from 'node:v8';
import { Conversation, type Message } from './conversation.ts';

const lengthBytes = 4;
const noLength = Buffer.alloc(lengthBytes);
/** A frame of about so much is sent without waiting for more. */
const frameBytesFull = 1024 * 1024;
/** Far above that and what one request may hold: who announces more does not speak this language. */
const frameBytesMax = 128 * 1024 * 1024;

/**
 * A conversation over a stream. All that is said in one turn of the event loop goes in one frame, a length and the
 * messages: most of what a message costs is the waking of its reader.
 */
export function converse<Question>(
  socket: Socket,
  answer: (question: Question) => Promise<unknown>,
): Conversation<Question> {
  const outgoing = new OutgoingFrames(socket);
  const conversation = new Conversation<Question>((message, bytes) => outgoing.add(message, bytes), answer);
  const incoming = new IncomingFrames();
  socket.on('data', chunk => {
    const frames = incoming.read(chunk);
    if (frames === undefined) socket.destroy(new Error('a frame is too long'));
    else for (const frame of frames) for (const message of frame) conversation.receive(message);
  });
  return conversation;
}

class OutgoingFrames {
  readonly #socket: Socket;
  #messages: Message[] = [];
  #bytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  add(message: Message, bytes: number): void {
    if (this.#messages.length === 0) setImmediate(() => this.#send());
    this.#messages.push(message);
    this.#bytes += bytes;
    if (this.#bytes >= frameBytesFull) this.#send();
  }

  #send(): void {
    if (this.#messages.length === 0 || this.#socket.destroyed) return;
    const serializer = new DefaultSerializer();
    serializer.writeRawBytes(noLength);
    serializer.writeHeader();
    serializer.writeValue(this.#messages);
    this.#messages = [];
    this.#bytes = 0;
    const frame = serializer.releaseBuffer();
    frame.writeUInt32LE(frame.length - lengthBytes);
    this.#socket.write(frame);
  }
}

/** Cuts what comes into frames. */
class IncomingFrames {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** The frames that are whole now; undefined for one that is longer than any can be. */
  read(chunk: Buffer): Message[][] | undefined {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const frames: Message[][] = [];
    while (this.#bytes >= lengthBytes) {
      const frameBytes = lengthBytes + this.#peekLength();
      if (frameBytes > frameBytesMax) return undefined;
      if (this.#bytes < frameBytes) break;
      const bytes = this.#join();
      frames.push(deserialize(bytes.subarray(lengthBytes, frameBytes)) as Message[]);
      this.#chunks = [bytes.subarray(frameBytes)];
      this.#bytes -= frameBytes;
    }
    return frames;
  }

  #peekLength(): number {
    if ((this.#chunks[0] as Buffer).length < lengthBytes) this.#chunks = [this.#join()];
    return (this.#chunks[0] as Buffer).readUInt32LE();
  }

  #join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
  }
}
