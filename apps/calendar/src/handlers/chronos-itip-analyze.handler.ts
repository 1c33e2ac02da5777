import { chronosItip, type CallOf, type Handler } from '@groupware/contracts';
import { Handles } from '@groupware/service-kit';
import { ItipAnalyzer } from '../scheduling/itip/itip-analyzer';

/** `chronos/itip?action=analyze`: what a scheduling message would change. */
@Handles(chronosItip.analyze)
export class ChronosItipAnalyzeHandler implements Handler<typeof chronosItip.analyze> {
  constructor(private readonly analyzer: ItipAnalyzer) {}

  handle({ principal, query, body }: CallOf<typeof chronosItip.analyze>) {
    return this.analyzer.analyze(principal, query, body);
  }
}
