import { Duration, type RemovalPolicy, Size } from 'aws-cdk-lib';
import type { ISecurityGroup, IVpc, SubnetSelection } from 'aws-cdk-lib/aws-ec2';
import { Architecture, Runtime, RuntimeManagementMode, Tracing } from 'aws-cdk-lib/aws-lambda';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { FunctionName } from '../lambda/environment.ts';
import { acknowledge } from './acknowledge.ts';
import { bundling, codeOf } from './bundling.ts';
import { FunctionRole } from './function-role.ts';
import type { ResourceArns } from './resource-arns.ts';

/** Where functions run, if not on Lambda's own network. S3, DynamoDB and SQS must be reachable from there. */
export interface VpcProps {
  readonly vpc: IVpc;
  readonly subnets?: SubnetSelection;
  readonly securityGroups?: ISecurityGroup[];
}

export interface PipelineFunctionProps {
  readonly functionName: FunctionName;
  readonly description: string;
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** /tmp, MiB. */
  readonly scratchMb: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly arns: ResourceArns;
  readonly sourcePrefix: string;
  readonly logRetention: RetentionDays;
  readonly removalPolicy: RemovalPolicy;
  readonly tracing: boolean;
  readonly vpc?: VpcProps | undefined;
  /** Text of the pipelines' file, or null. */
  readonly pipelinesFile: string | null;
}

/** One function of the pipeline with its log and its role. */
export class PipelineFunction extends Construct {
  readonly handler: NodejsFunction;
  readonly role: FunctionRole;
  readonly log: LogGroup;

  constructor(scope: Construct, id: string, props: PipelineFunctionProps) {
    super(scope, id);
    const { functionName, vpc } = props;
    this.log = new LogGroup(this, 'Log', { retention: props.logRetention, removalPolicy: props.removalPolicy });
    this.role = new FunctionRole(this, 'Access', {
      functionName,
      arns: { ...props.arns, ownLogs: this.log.logGroupArn },
      sourcePrefix: props.sourcePrefix,
    });
    this.handler = new NodejsFunction(this, 'Function', {
      ...codeOf(functionName),
      bundling: bundling(functionName, props.pipelinesFile),
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      // The compressor's bytes are the runtime's: it changes when the code is deployed and not on its own.
      runtimeManagementMode: RuntimeManagementMode.FUNCTION_UPDATE,
      architecture: Architecture.ARM_64,
      memorySize: props.memoryMb,
      timeout: Duration.seconds(props.timeoutSeconds),
      ephemeralStorageSize: Size.mebibytes(props.scratchMb),
      environment: { ...props.environment },
      awsSdkConnectionReuse: false,
      logGroup: this.log,
      role: this.role.role,
      tracing: props.tracing ? Tracing.ACTIVE : Tracing.DISABLED,
      ...(vpc === undefined ? {} : networkOf(vpc)),
    });
    this.handler.node.addDependency(this.role.policy);
    if (props.tracing) acknowledge(this.role.role, 'IAM5[Resource::*]', 'X-Ray segments have no resource');
  }
}

const networkOf = ({ vpc, subnets, securityGroups }: VpcProps) => ({
  vpc,
  ...(subnets === undefined ? {} : { vpcSubnets: subnets }),
  ...(securityGroups === undefined ? {} : { securityGroups }),
});
