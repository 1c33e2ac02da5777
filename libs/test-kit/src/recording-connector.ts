import type { Socket } from 'node:net';

/** Stands in for a TCP connector: notes where connections were wanted and opens none. */
export interface RecordingConnector {
  /** `address:port` of every connection that was wanted, in order. */
  readonly wanted: string[];
  open(address: string, port: number): Promise<Socket>;
}

/** Makes one. Every connection fails. */
export function recordingConnector(): RecordingConnector {
  const wanted: string[] = [];
  return {
    wanted,
    open: (address, port) => {
      wanted.push(`${address}:${port}`);
      return Promise.reject(new Error('recorded, not connected'));
    },
  };
}
