import { CfnOutput, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';
import { FUNCTIONS } from '../lambda/environment.ts';
import type { DeploymentConfig } from './config.ts';
import type { VpcProps } from './pipeline-function.ts';
import type { PipelineState } from './pipeline-state.ts';
import { TilePipeline } from './tile-pipeline.ts';
import { uploadCommand } from './upload-command.ts';

export interface PipelineStackProps extends StackProps {
  readonly config: DeploymentConfig;
  readonly state: PipelineState;
}

/** What works: trigger, queues, functions. Holds nothing that a new deployment could lose but messages. */
export class PipelineStack extends Stack {
  readonly pipeline: TilePipeline;

  constructor(scope: Construct, id: string, { config, state, ...props }: PipelineStackProps) {
    super(scope, id, props);
    const { settings } = config;
    const vpc = networkOf(this, config);
    this.pipeline = new TilePipeline(this, 'Pipeline', {
      stage: config.stage,
      pipelines: config.pipelines,
      state,
      sourcePrefix: settings.source.prefix,
      ...(settings.source.account === undefined ? {} : { sourceAccount: settings.source.account }),
      requesterPays: settings.source.requesterPays,
      operations: false,
      logRetention: settings.logRetentionDays,
      memoryMb: settings.memoryMb,
      scratchMb: settings.scratchMb,
      maxConcurrency: settings.maxConcurrency,
      timing: settings.timing,
      tracing: settings.tracing,
      removalPolicy: settings.removal === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
      ...(vpc === null ? {} : { vpc }),
    });
    this.#tell(config, state);
  }

  #tell({ pipelines, settings }: DeploymentConfig, { sourceBucket }: PipelineState): void {
    const { scenes, tiles, assemblies, trigger, work } = this.pipeline;
    const tell = (id: string, value: string): CfnOutput => new CfnOutput(this, id, { value });
    tell('UploadCommand', uploadCommand(pipelines, sourceBucket.bucketName, settings.source.prefix));
    for (const [name, { queue, deadLetters }] of Object.entries({ Scene: scenes, Tile: tiles, Assembly: assemblies })) {
      tell(`${name}QueueUrl`, queue.queueUrl);
      tell(`${name}DeadLettersUrl`, deadLetters.queueUrl);
    }
    tell('UndeliveredUploadsUrl', trigger.undelivered.queueUrl);
    tell('StreamFailuresUrl', work.streamFailures.queueUrl);
    tell('MissedReapsUrl', work.missedReaps.queueUrl);
    for (const name of FUNCTIONS) {
      const { handler, log } = work.functions[name];
      tell(`Function-${name}`, handler.functionName);
      tell(`Log-${name}`, log.logGroupName);
    }
  }
}

const networkOf = (scope: Construct, { settings: { vpc } }: DeploymentConfig): VpcProps | null =>
  vpc === undefined
    ? null
    : {
        vpc: Vpc.fromVpcAttributes(scope, 'Vpc', {
          vpcId: vpc.vpcId,
          availabilityZones: vpc.availabilityZones,
          privateSubnetIds: vpc.subnetIds,
        }),
        securityGroups: vpc.securityGroupIds.map((group) => SecurityGroup.fromSecurityGroupId(scope, group, group)),
      };
