import type { Provider } from '@nestjs/common';
import { Analyzers } from './analyzers';

/** Providers of request analysis. */
export const requestAnalysisProviders: readonly Provider[] = [Analyzers];
