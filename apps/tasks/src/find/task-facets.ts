import type { FacetDeclaration } from '@groupware/contracts';

/** The facets of tasks. */
export const TASK_FACETS: readonly FacetDeclaration[] = [
  { id: 'global', style: 'simple', field: 'global', text: 'find.global' },
  { id: 'task_title', style: 'simple', field: 'title', text: 'find.task_title' },
  { id: 'task_description', style: 'simple', field: 'description', text: 'find.task_description' },
  {
    id: 'task_attachment_name',
    style: 'simple',
    field: 'attachment',
    fields: ['attachment', 'attachment_name'],
    text: 'find.task_attachment_name',
  },
  { id: 'task_participants', style: 'default', field: 'participant', text: 'find.task_participants' },
  {
    id: 'task_status',
    style: 'exclusive',
    field: 'status',
    text: 'find.task_status',
    values: {
      '1': 'find.task_status.1',
      '2': 'find.task_status.2',
      '3': 'find.task_status.3',
      '4': 'find.task_status.4',
      '5': 'find.task_status.5',
    },
  },
  {
    id: 'task_type',
    style: 'exclusive',
    field: 'type',
    text: 'find.task_type',
    values: { single_task: 'find.task_type.single_task', series: 'find.task_type.series' },
  },
];
