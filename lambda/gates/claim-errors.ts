import { TileonceError } from '../errors.ts';

/** The commit or the heartbeat found another owner: our lease lapsed and was taken. A real alarm, never routine. */
export class LeaseLostError extends TileonceError {
  readonly jobId: string;

  constructor(jobId: string, step: 'commit' | 'heartbeat' | 'release' | 'deletion') {
    super(`the lease of job ${jobId} was lost before its ${step}: another worker owns the job now`, {
      remedy: 'nothing is damaged; if it recurs, the lease is shorter than the work or clocks differ by more than 30 s',
    });
    this.jobId = jobId;
  }
}

/** Powertools' switch that runs work unclaimed; refused, not obeyed. */
export class ClaimGateDisabledError extends TileonceError {
  constructor() {
    super('POWERTOOLS_IDEMPOTENCY_DISABLED is set, which would switch the claim gate off', {
      remedy: 'unset it: no work is done without a claim',
    });
  }
}
