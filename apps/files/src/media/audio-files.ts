import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Injectable } from '@nestjs/common';
import { Turns } from '@groupware/service-kit';
import { FilesConfig } from '../files.config';

/** Tags and length of an audio file; those that it does not have are absent. */
export interface AudioData {
  readonly title?: string;
  readonly artist?: string;
  readonly album?: string;
  readonly genre?: string;
  readonly year?: number;
  readonly track?: number;
  /** ms */
  readonly durationMs?: number;
}

/** Audio files read at a time. */
const READ_AT_ONCE = 2;
/** Audio files that wait at most; further ones are not read. */
const MAX_WAITING = 200;
const MAX_HEAP_MB = 96;

/** Program of the thread: it reads one file and ends. The library is found from here, for such a program has no place. */
const PROGRAM = `
const { parentPort, workerData } = require('node:worker_threads');
const { createRequire } = require('node:module');
const { pathToFileURL } = require('node:url');
const { place, bytes, mimeType, size, wantsCover } = workerData;
(async () => {
  const { parseBuffer, selectCover } = await import(pathToFileURL(createRequire(place).resolve('music-metadata')).href);
  const { common, format } = await parseBuffer(bytes, { mimeType, size }, { skipCovers: !wantsCover, skipPostHeaders: true });
  const { title, artist, album, genre, year, track } = common;
  const picture = wantsCover ? selectCover(common.picture) : undefined;
  parentPort.postMessage({
    data: { title, artist, album, genre: genre && genre.join(', '), year, track: track && track.no, seconds: format.duration },
    cover: picture && picture.data,
  });
})().catch(() => parentPort.postMessage({}));
`;

interface ThreadAnswer {
  readonly data?: Record<string, unknown>;
  readonly cover?: Uint8Array;
}

/** Bytes of an audio file. */
export interface AudioSource {
  readonly mimeType: string;
  readonly sizeBytes: number;
  /** Opens the bytes, once. */
  open(): AsyncIterable<Uint8Array>;
}

/**
 * Reads what audio files say about themselves (ID3 and its like), by their beginning alone: each in a thread of its own, with bounds of time
 * and memory.
 */
@Injectable()
export class AudioFiles {
  private readonly reading = new Turns(READ_AT_ONCE);

  constructor(private readonly config: FilesConfig) {}

  /** Reads title, artist and such; undefined for what is no audio file, or passes a bound. */
  async describe(source: AudioSource): Promise<AudioData | undefined> {
    const { data } = await this.read(source, false);
    return data && toAudioData(data);
  }

  /** Reads the picture of the cover; undefined without one. */
  async readCover(source: AudioSource): Promise<Buffer | undefined> {
    const { cover } = await this.read(source, true);
    return cover && Buffer.from(cover);
  }

  private read({ open, sizeBytes: size, mimeType }: AudioSource, wantsCover: boolean): Promise<ThreadAnswer> {
    if (this.reading.waiting >= MAX_WAITING) return Promise.resolve({});
    return this.reading.runInTurn(async () => {
      const bytes = await readBeginning(open(), this.config.audioBytes);
      const worker = new Worker(PROGRAM, {
        eval: true,
        workerData: { place: __filename, bytes: new Uint8Array(bytes), mimeType, size, wantsCover },
        resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
      });
      try {
        const signal = AbortSignal.timeout(this.config.audioTimeoutMs);
        const [answer] = (await once(worker, 'message', { signal })) as [ThreadAnswer];
        return answer;
      } catch {
        // Broken, too large or too slow: the file says nothing.
        return {};
      } finally {
        await worker.terminate();
      }
    });
  }
}

/** Most characters of a text. */
const MAX_TEXT = 1000;

function toAudioData({ seconds, ...said }: Record<string, unknown>): AudioData {
  const texts = ['title', 'artist', 'album', 'genre'].flatMap((name) => {
    const text = said[name];
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim().slice(0, MAX_TEXT)]] : [];
  });
  const numbers = ['year', 'track'].flatMap((name) => (Number.isSafeInteger(said[name]) ? [[name, said[name]]] : []));
  const isTimed = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  return Object.fromEntries([
    ...texts,
    ...numbers,
    ...(isTimed ? [['durationMs', Math.round(seconds * 1000)]] : []),
  ]) as AudioData;
}

async function readBeginning(source: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of source) {
    parts.push(part.subarray(0, maxBytes - size));
    size += parts.at(-1)!.length;
    if (size >= maxBytes) break;
  }
  return Buffer.concat(parts);
}
