import type { FacetDeclaration } from '@groupware/contracts';

/** The facets of files. */
export const FILE_FACETS: readonly FacetDeclaration[] = [
  { id: 'global', style: 'simple', field: 'global', text: 'find.global' },
  { id: 'file_name', style: 'simple', field: 'file_name', text: 'find.file_name' },
  { id: 'file_description', style: 'simple', field: 'file_description', text: 'find.file_description' },
  {
    id: 'file_type',
    style: 'exclusive',
    field: 'file_type',
    text: 'find.file_type',
    values: {
      audio: 'find.file_type.audio',
      documents: 'find.file_type.documents',
      images: 'find.file_type.images',
      video: 'find.file_type.video',
      other: 'find.file_type.other',
    },
  },
  {
    id: 'file_size',
    style: 'exclusive',
    field: 'file_size',
    text: 'find.file_size',
    values: {
      '>1MB': 'find.file_size.1MB',
      '>10MB': 'find.file_size.10MB',
      '>100MB': 'find.file_size.100MB',
      '>1GB': 'find.file_size.1GB',
    },
  },
  {
    id: 'date',
    style: 'exclusive',
    field: 'date',
    text: 'find.date',
    values: {
      last_week: 'find.date.last_week',
      last_month: 'find.date.last_month',
      last_year: 'find.date.last_year',
    },
  },
];
