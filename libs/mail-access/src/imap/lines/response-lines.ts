/** Reads the rest of an untagged response, what follows its name. */
export type LineSink = (rest: Buffer) => Promise<void>;

interface StreamedResponse {
  readonly payload: Buffer;
  readonly literals?: readonly Buffer[];
}
/** Members of a client of the library that are replaced. */
export interface ResponseHandling {
  /** @returns whether the connection is read on */
  handleResponse?: (response: StreamedResponse) => Promise<boolean>;
}

const LONGEST_NAME = 16;

/**
 * Takes untagged responses out of the stream of a client before the library parses them: its parser takes time by the square of
 * the numbers in a line, minutes for those of a large mailbox.
 */
export class ResponseLines {
  private sinks: Readonly<Record<string, LineSink>> = {};

  constructor(client: ResponseHandling) {
    const handle = client.handleResponse?.bind(client);
    if (!handle) throw new TypeError('the IMAP library handles responses in another way');
    client.handleResponse = async (response) => {
      const name = response.literals?.length ? undefined : readName(response.payload);
      const sink = name === undefined ? undefined : this.sinks[name];
      if (!sink) return handle(response);
      await sink(response.payload.subarray(2 + name!.length));
      return true;
    };
  }

  /** Reads responses with these names, in upper case, until the work ends. */
  async withSinks<T>(sinks: Readonly<Record<string, LineSink>>, work: () => Promise<T>): Promise<T> {
    this.sinks = sinks;
    try {
      return await work();
    } finally {
      this.sinks = {};
    }
  }
}

/** Name of an untagged response, in upper case. */
const readName = (payload: Buffer): string | undefined =>
  /^\* ([A-Za-z]+)(?= |$)/.exec(payload.toString('latin1', 0, 2 + LONGEST_NAME))?.[1]?.toUpperCase();
