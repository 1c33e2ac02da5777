/** Left out of the package's types: decodes bytes by the tables of iconv-lite and encoding-japanese. */
declare module 'libmime/lib/charset' {
  const charset: { decode(bytes: Buffer, charset: string): string };
  export = charset;
}
