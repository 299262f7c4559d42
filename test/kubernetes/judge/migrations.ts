import { splitImage } from '../cluster/manifests.js';

/** The fields of a migration's Job that are checked. */
export interface MigrationJob {
  metadata: { name: string };
  spec: { template: { spec: { containers: { image: string }[] } } };
  status: { succeeded?: number; active?: number };
}

/**
 * Violations of: each of these images has migrated the schemas once, by the Job named after its tag, and no other
 * image has.
 */
export function migrationViolations(
  jobs: readonly MigrationJob[],
  images: readonly string[],
): string[] {
  const names = images.map(jobNameOf);
  return [
    ...images.flatMap((image) => jobViolations(jobs, image)),
    ...jobs
      .filter(({ metadata }) => !names.includes(metadata.name))
      .map(({ metadata }) => `there is an unexpected Job ${metadata.name}`),
  ];
}

function jobViolations(jobs: readonly MigrationJob[], image: string): string[] {
  const name = jobNameOf(image);
  const job = jobs.find(({ metadata }) => metadata.name === name);
  if (!job) return [`there is no Job ${name}`];
  const { succeeded = 0, active = 0 } = job.status;
  const runs = job.spec.template.spec.containers.map((container) => container.image).join(', ');
  return [
    ...(succeeded === 1 && active === 0
      ? []
      : [`Job ${name} has ${succeeded} succeeded and ${active} running pods`]),
    ...(runs === image ? [] : [`Job ${name} runs ${runs}, not ${image}`]),
  ];
}

const jobNameOf = (image: string): string => `migrate-${splitImage(image).tag}`;
