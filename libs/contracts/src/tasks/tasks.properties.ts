import { property } from '../kit';

/** Meaning of a deletion by a participant. */
export const PARTICIPANT_DELETE = property<'all' | 'self'>({
  key: 'com.example.tasks.participantDelete',
  default: 'all',
  values: ['all', 'self'],
  scopes: ['user', 'context', 'server'],
  doc: 'Whether a participant who deletes a delegated task in the own folder deletes it for everybody (all) or only leaves it (self).',
});

/** Most tasks of a context. */
export const MAX_TASKS = property({
  key: 'com.example.quota.task',
  default: -1,
  min: -1,
  scopes: ['context', 'server'],
  doc: 'Most tasks of a context; a new one beyond gives QUOTA-0003. -1: no limit. Also `items.tasks` of the quota of a context.',
});

/** Most rows of one answer. */
export const MAX_TASK_RESULTS = property({
  key: 'com.example.tasks.maxResults',
  default: 100_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most tasks that one answer may hold; more give TASK-0001.',
});

/** Most participants of a task. */
export const MAX_TASK_PARTICIPANTS = property({
  key: 'com.example.tasks.maxParticipants',
  default: 1_000,
  min: 1,
  scopes: ['context', 'server'],
  doc: 'Most participants of a task, members of groups counted; more give TASK-0002.',
});
