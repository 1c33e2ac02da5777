import { quotaOwner } from '../quota/quota-owner.contract';

/** Usage of the limit of tasks. */
export const tasksQuota = quotaOwner('tasks', ['task']);
