import { defineModule } from '../kit';

/** The module `system` is named by the API without actions: every action is refused as unknown (SVL-0021). */
export const system = defineModule('system', {}, { service: 'identity' });
