import { property, type PropertyScope } from '../kit';

const everywhere: readonly PropertyScope[] = ['user', 'context', 'server'];

/** Most pictures of a signature. */
export const MAX_SNIPPET_PICTURES = property<number>({
  key: 'com.example.mail.signature.maxImageLimit',
  default: 3,
  min: 0,
  max: 100,
  scopes: everywhere,
  doc: 'Most pictures that a signature or text block shows; more give SNIPPET-0008.',
});

/** Largest picture of a signature. */
export const MAX_SNIPPET_PICTURE_BYTES = property<number>({
  key: 'com.example.mail.signature.maxImageSize',
  default: 1_048_576,
  min: 1,
  max: 10_485_760,
  scopes: everywhere,
  doc: 'Largest picture of a signature or text block, bytes; larger ones give SNIPPET-0009.',
});

/** Largest text of a signature. */
export const MAX_SNIPPET_BYTES = property<number>({
  key: 'com.example.mail.signature.maxTextSize',
  default: 1_048_576,
  min: 1,
  max: 10_485_760,
  scopes: everywhere,
  doc: 'Largest text of a signature or text block without its pictures, bytes; larger ones give SNIPPET-0012.',
});

/** Largest signature as it comes. */
export const MAX_RAW_SNIPPET_BYTES = property<number>({
  key: 'com.example.mail.signature.maxRawSize',
  default: 10_485_760,
  min: 1,
  max: 10_485_760,
  scopes: everywhere,
  doc: 'Largest signature or text block as clients send it, with pictures that stand in its text, bytes; larger ones give SNIPPET-0013.',
});

/** Most snippets of a user. */
export const MAX_SNIPPETS = property<number>({
  key: 'com.example.snippet.maxPerUser',
  default: 200,
  min: -1,
  scopes: everywhere,
  doc: 'Most signatures and text blocks of a user; one more gives QUOTA-0003. -1: any number.',
});

/** Most files of a snippet. */
export const MAX_SNIPPET_FILES = property<number>({
  key: 'com.example.snippet.maxAttachments',
  default: 20,
  min: 0,
  max: 1_000,
  scopes: everywhere,
  doc: 'Most files of a signature or text block, its pictures among them; more give QUOTA-0003.',
});

/** Largest upload for a snippet. */
export const MAX_SNIPPET_UPLOAD = property<number>({
  key: 'com.example.snippet.maxUploadSize',
  default: 10_485_760,
  min: 1,
  doc: 'Most bytes of one upload of files for a signature or text block',
});
