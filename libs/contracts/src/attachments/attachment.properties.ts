import { property } from '../kit';

/** Most bytes of one upload of attachments. */
export const MAX_ATTACHMENT_UPLOAD = property<number>({
  key: 'com.example.attachments.maxUploadSize',
  default: -1,
  min: -1,
  doc: 'Most bytes of one upload of attachments, all parts together; -1: the general upload limit, 0: no limit of its own',
});

/** Most files on one object. */
export const MAX_ATTACHMENTS = property<number>({
  key: 'com.example.attachments.maxPerObject',
  default: 1000,
  min: 1,
  max: 10_000,
  doc: 'Most attachments of one object',
  scopes: ['context', 'server'],
});

/** Most attachments of a context. */
export const MAX_ATTACHMENTS_IN_CONTEXT = property<number>({
  key: 'com.example.quota.attachments',
  default: -1,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most attachments of a context; files beyond give QUOTA-0003. -1: no limit. Also `items.attachments` of the quota of a context.',
});

/** Whether uploads are scanned. */
export const SCAN_UPLOADS = property<string>({
  key: 'com.example.attachments.scanUploads',
  default: 'off',
  values: ['off', 'ifAvailable', 'required'],
  doc: 'Virus scan of uploads. off: none; ifAvailable: infected files are refused, files that could not be scanned are taken; required: files that could not be scanned are refused',
  scopes: ['context', 'server'],
});
