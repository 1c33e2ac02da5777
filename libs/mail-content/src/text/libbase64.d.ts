/** The package has no types: decodes base64 as it streams; what is none is left out. */
declare module 'libbase64' {
  import { Transform } from 'node:stream';

  export class Decoder extends Transform {}
}
