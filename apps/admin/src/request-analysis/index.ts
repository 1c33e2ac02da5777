import type { Provider } from '@nestjs/common';
import { Analyzers } from './analyzers';

/** What the analysis of requests is made of. */
export const requestAnalysisProviders: readonly Provider[] = [Analyzers];
