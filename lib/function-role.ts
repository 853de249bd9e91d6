import { CfnPolicy, Policy, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { FunctionName } from '../lambda/environment.ts';
import { acknowledgeStars } from './acknowledge.ts';
import { EVERY_FUNCTION, type Grant, PERMISSIONS } from './permissions.ts';
import type { ResourceArns } from './resource-arns.ts';

export interface FunctionRoleProps {
  readonly functionName: FunctionName;
  readonly arns: ResourceArns;
  readonly sourcePrefix: string;
}

/** A function's role: lib/permissions.ts written as a policy, and no managed policy beside it. */
export class FunctionRole extends Construct {
  readonly role: Role;
  /** An event source mapping must wait for it. */
  readonly policy: Policy;

  constructor(scope: Construct, id: string, { functionName, arns, sourcePrefix }: FunctionRoleProps) {
    super(scope, id);
    this.role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const prefixes = { source: [`${sourcePrefix}*`], output: ['tiles/*', 'scenes/*'] };
    const grants = [...EVERY_FUNCTION, ...PERMISSIONS[functionName]];
    this.policy = new Policy(this, 'Policy', {
      roles: [this.role],
      statements: grants.flatMap((grant) => statementOf(grant, arns, prefixes)),
    });
    const resource = this.policy.node.defaultChild;
    if (resource instanceof CfnPolicy) acknowledgeStars(resource, reasonsOf(grants));
  }
}

const statementOf = (
  { sid, actions, on, listing }: Grant,
  arns: ResourceArns,
  prefixes: Readonly<Record<'source' | 'output', readonly string[]>>,
): readonly PolicyStatement[] => {
  const resources = on.flatMap((name) => arns[name] ?? []);
  if (resources.length === 0) return [];
  return [
    new PolicyStatement({
      sid,
      actions: [...actions],
      resources,
      ...(listing === undefined ? {} : { conditions: { StringLikeIfExists: { 's3:prefix': prefixes[listing] } } }),
    }),
  ];
};

const reasonsOf = (grants: readonly Grant[]): ReadonlyMap<string, string> =>
  new Map(grants.flatMap(({ sid, because }) => (because === undefined ? [] : [[sid, because]])));
