import { PromiseViolated } from '../journal.js';
import { migrationViolations, type MigrationJob } from '../judge/migrations.js';
import { kubectlJson } from './kubectl.js';
import { nameLabel, namespace } from './names.js';
import { waitUntil } from './wait-until.js';

const migratedWithinMs = 60_000;

/** Waits until each of these images, and no other, has migrated the schemas. */
export async function migratedBy(images: readonly string[]): Promise<void> {
  let violations: string[] = [];
  try {
    await waitUntil('the migration', migratedWithinMs, async () => {
      const { items } = await kubectlJson<{ items: MigrationJob[] }>([
        ...['get', 'jobs', '-n', namespace, '-l', `${nameLabel}=migrate`],
      ]);
      violations = migrationViolations(items, images);
      return violations.length === 0;
    });
  } catch (error) {
    throw violations.length > 0 ? new PromiseViolated(violations) : error;
  }
}
