import { StringDecoder } from 'node:string_decoder';
import { pauseAfterTurn } from '@groupware/service-kit';
import { parser, type Tag } from 'sax';

/** A resource as a server describes it. */
export interface DavResource {
  /** As it stands there: a path, or an address. */
  readonly href: string;
  readonly isFolder: boolean;
  readonly sizeBytes?: number;
  /** ms UTC */
  readonly modified?: number;
  /** ms UTC */
  readonly created?: number;
  readonly contentType?: string;
  readonly etag?: string;
}

/** Bounds of what is read. */
export interface MultistatusLimits {
  readonly maxBytes: number;
  readonly maxResources: number;
}

/** An answer that is no description of resources, or more than the bounds allow. */
export class MultistatusError extends Error {
  override readonly name = 'MultistatusError';

  constructor(
    readonly reason: 'malformed' | 'too-large' | 'too-many',
    cause?: unknown,
  ) {
    super(`multistatus: ${reason}`, { cause });
  }
}

const DAV = 'DAV:';
/** Bytes that are parsed at once: elements may be as short as servers like. */
const SLICE_BYTES = 8_192;
/** Elements lie this deep in any answer of RFC 4918. */
const MAX_DEPTH = 32;
/** Most attributes of an element; names of vocabularies are attributes, too. */
const MAX_ATTRIBUTES = 100;
/** Longest text of a property, characters; paths are the longest. */
const MAX_TEXT = 16_384;

/**
 * Parses the answer to PROPFIND (RFC 4918 section 14.16) while it comes, so that a long one holds up nobody. A document type, and with
 * it every entity of its own, is refused.
 * @throws MultistatusError
 */
export async function parseMultistatus(
  body: AsyncIterable<Uint8Array>,
  { maxBytes, maxResources }: MultistatusLimits,
): Promise<DavResource[]> {
  const reader = new MultistatusReader(maxResources);
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  for await (const part of body) {
    bytes += part.length;
    if (bytes > maxBytes) fail('too-large');
    for (let at = 0; at < part.length; at += SLICE_BYTES) {
      // Parts that have arrived already follow each other without a turn of the event loop between them.
      const turn = pauseAfterTurn();
      if (turn) await turn;
      const slice = part.subarray(at, at + SLICE_BYTES);
      reader.write(decoder.write(Buffer.from(slice.buffer, slice.byteOffset, slice.byteLength)));
    }
  }
  return reader.finish(decoder.end());
}

/** Properties of one resource while it is read. */
interface OpenResource {
  href?: string;
  /** Those of properties that the server has. */
  found: Properties;
}

type Properties = Record<string, string | true>;

class MultistatusReader {
  private readonly resources: DavResource[] = [];
  private readonly xml = parser(true, { trim: true, position: false });
  private readonly path: string[] = [];
  /** Vocabularies by prefix, for each open element. */
  private readonly vocabularies: Record<string, string>[] = [];
  private attributes = 0;
  private text = '';
  private resource: OpenResource | undefined;
  private properties: Properties = {};
  private status = '';
  private isMultistatus = false;

  constructor(private readonly maxResources: number) {
    const { xml } = this;
    xml.onerror = (error) => fail('malformed', error);
    xml.ondoctype = () => fail('malformed');
    xml.onopentagstart = () => (this.attributes = 0);
    // With its own names of vocabularies the parser would look at attributes when all have come.
    xml.onattribute = () => {
      if (++this.attributes > MAX_ATTRIBUTES) fail('malformed');
    };
    xml.onopentag = ({ name, attributes }: Tag) => this.open(name, attributes);
    xml.onclosetag = () => this.close();
    xml.ontext = xml.oncdata = (text) => this.addText(text);
  }

  write(text: string): void {
    this.xml.write(text);
  }

  finish(text: string): DavResource[] {
    this.xml.write(text).close();
    if (!this.isMultistatus) fail('malformed');
    return this.resources;
  }

  private open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { uri, local } = this.resolve(name, attributes);
    // Names of other vocabularies mean nothing here, whatever they are.
    this.path.push(uri === DAV ? local : `{${uri}}${local}`);
    if (this.path.length > MAX_DEPTH) fail('malformed');
    this.text = '';
    if (this.path.length === 1) this.isMultistatus = this.path[0] === 'multistatus';
    switch (this.path.slice(1).join('/')) {
      case 'response':
        this.resource = { found: {} };
        break;
      case 'response/propstat':
        this.properties = {};
        this.status = '';
        break;
      case 'response/propstat/prop/resourcetype/collection':
        this.properties['collection'] = true;
        break;
    }
  }

  /** Name and vocabulary of an element (Namespaces in XML 1.0). */
  private resolve(name: string, attributes: Readonly<Record<string, string>>): { uri: string; local: string } {
    const known = Object.create(this.vocabularies.at(-1) ?? null) as Record<string, string>;
    for (const [attribute, value] of Object.entries(attributes))
      if (attribute === 'xmlns') known[''] = value;
      else if (attribute.startsWith('xmlns:')) known[attribute.slice(6)] = value;
    this.vocabularies.push(known);
    const at = name.indexOf(':');
    const uri = known[name.slice(0, Math.max(at, 0))];
    if (uri === undefined && at >= 0) fail('malformed');
    return { uri: uri ?? '', local: name.slice(at + 1) };
  }

  private close(): void {
    this.vocabularies.pop();
    const place = this.path.slice(1).join('/');
    const [, , property] = /^response\/propstat\/(prop)\/([^/]+)$/.exec(place) ?? [];
    // Those of other vocabularies are as good as one.
    if (property !== undefined) this.properties[property.startsWith('{') ? '{}' : property] = this.text;
    else if (place === 'response/href') this.resource!.href ??= this.text;
    else if (place === 'response/propstat/status') this.status = this.text;
    else if (place === 'response/propstat' && /^HTTP\/\S+ 2\d\d\b/.test(this.status))
      Object.assign(this.resource!.found, this.properties);
    else if (place === 'response') this.add(this.resource!);
    this.path.pop();
    this.text = '';
  }

  private addText(text: string): void {
    this.text += text;
    if (this.text.length > MAX_TEXT) fail('malformed');
  }

  private add({ href, found }: OpenResource): void {
    // Without a property it is named for a fault of its own only.
    if (href === undefined || Object.keys(found).length === 0) return;
    if (this.resources.length >= this.maxResources) fail('too-many');
    this.resources.push(toResource(href, found));
  }
}

function toResource(href: string, found: Properties): DavResource {
  const text = (name: string): string | undefined => {
    const value = found[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const time = (name: string): number | undefined => {
    const value = Date.parse(text(name) ?? '');
    return Number.isFinite(value) ? value : undefined;
  };
  const size = text('getcontentlength');
  const sizeBytes = size !== undefined && /^\d{1,15}$/.test(size) ? Number(size) : undefined;
  return {
    href,
    isFolder: found['collection'] === true,
    sizeBytes,
    modified: time('getlastmodified'),
    created: time('creationdate'),
    contentType: text('getcontenttype'),
    etag: text('getetag'),
  };
}

function fail(reason: MultistatusError['reason'], cause?: unknown): never {
  // eslint-disable-next-line groupware/no-stray-errors -- becomes the cause of the error of the storage
  throw new MultistatusError(reason, cause);
}
