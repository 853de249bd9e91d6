import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { DeploymentConfig } from './config.ts';
import { PipelineOperations, type WatchedPipeline } from './pipeline-operations.ts';

export interface OperationsStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly pipeline: WatchedPipeline;
}

/** What watches: alarms, the dashboard, and who is told. */
export class OperationsStack extends Stack {
  readonly operations: PipelineOperations;

  constructor(scope: Construct, id: string, { config, pipeline, ...props }: OperationsStackProps) {
    super(scope, id, props);
    const topic = topicOf(this, config);
    this.operations = new PipelineOperations(this, 'Operations', {
      pipeline,
      gates: config.settings.alarms.gates,
      ...(topic === null ? {} : { topic }),
    });
    const { dashboardName } = this.operations.dashboard;
    const tell = (name: string, value: string): CfnOutput => new CfnOutput(this, name, { value });
    tell(
      'DashboardUrl',
      `https://${this.region}.console.aws.amazon.com/cloudwatch/home?region=${this.region}#dashboards:name=${dashboardName}`,
    );
    if (topic !== null) tell('AlarmTopicArn', topic.topicArn);
  }
}

const topicOf = (scope: Construct, { settings: { alarms } }: DeploymentConfig): ITopic | null => {
  if (alarms.topicArn !== undefined) return Topic.fromTopicArn(scope, 'AlarmTopic', alarms.topicArn);
  if (alarms.email === undefined) return null;
  const topic = new Topic(scope, 'Alarms', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(alarms.email));
  return topic;
};
