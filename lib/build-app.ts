import { type App, Tags } from 'aws-cdk-lib';
import { ManagedPolicy, PermissionsBoundary } from 'aws-cdk-lib/aws-iam';
import type { DeploymentConfig } from './config.ts';
import { OperationsStack } from './operations-stack.ts';
import { PipelineStack } from './pipeline-stack.ts';
import { StateStack } from './state-stack.ts';

export interface Stacks {
  readonly state: StateStack;
  readonly pipeline: PipelineStack;
  readonly operations: OperationsStack;
}

/** Fills the app with one stage's three stacks. @throws TileonceError where the configuration cannot be deployed. */
export const buildApp = (app: App, config: DeploymentConfig): Stacks => {
  const { stage, settings } = config;
  const { account, region } = settings;
  const shared = {
    config,
    env: { ...(account === undefined ? {} : { account }), ...(region === undefined ? {} : { region }) },
    terminationProtection: settings.removal === 'retain',
  };
  const name = (part: string): string => `Tileonce-${stage}-${part}`;
  const state = new StateStack(app, name('State'), { ...shared, description: `Tileonce ${stage}: tables and buckets` });
  const pipeline = new PipelineStack(app, name('Pipeline'), {
    ...shared,
    state: state.state,
    description: `Tileonce ${stage}: trigger, queues and functions`,
  });
  const operations = new OperationsStack(app, name('Operations'), {
    ...shared,
    pipeline: pipeline.pipeline,
    description: `Tileonce ${stage}: alarms and dashboard`,
    // It holds nothing that could be lost.
    terminationProtection: false,
  });
  for (const [key, value] of Object.entries({ 'tileonce:stage': stage, ...settings.tags }))
    Tags.of(app).add(key, value);
  if (settings.permissionsBoundary !== undefined) {
    for (const stack of [state, pipeline, operations]) {
      const boundary = ManagedPolicy.fromManagedPolicyArn(stack, 'PermissionsBoundary', settings.permissionsBoundary);
      PermissionsBoundary.of(stack).apply(boundary);
    }
  }
  return { state, pipeline, operations };
};
