import { Copy } from '../../parts/copy.js';
import { Details } from '../../parts/details.js';
import { Panel } from '../../parts/split.js';
import { FullTime } from '../../parts/time.js';
import { actionWords } from './actions.js';
import type { AuditRowFragment } from './audit.graphql.js';
import styles from './audit.module.css';

interface AuditPanelProps {
  entry: AuditRowFragment;
  onClose: () => void;
}

/** One change: who made it, and each field before and after. */
export function AuditPanel({ entry, onClose }: AuditPanelProps) {
  const { action, actor, createdAt, address, keyId, resourceId, requestId, before, after } = entry;
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    <Panel title={actionWords(action)} label={actionWords(action)} onClose={onClose}>
      <Details
        of={{
          By: (
            <>
              <bdi title={actor ?? undefined}>{actorWords(entry)}</bdi>{' '}
              {actor && <Copy text={actor} what="user ID" />}
            </>
          ),
          Time: <FullTime at={createdAt} />,
          From: address ?? undefined,
          Credential: keyId ? <code>{keyId}</code> : undefined,
          Resource: <code>{resourceId}</code>,
          Request: (
            <>
              <code>{requestId}</code> <Copy text={requestId} what="request ID" />
            </>
          ),
        }}
      />
      {fields.length > 0 && (
        <table className={styles.changes}>
          <caption>What changed</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Before</th>
              <th scope="col">After</th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{textOf(before?.[field])}</td>
                <td>{textOf(after?.[field])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  );
}

export const actorWords = ({ actor, actorName, actorType }: AuditRowFragment): string =>
  actorName ??
  actor ??
  { USER: 'a deleted user', OPERATOR: 'the operator', SYSTEM: 'Roster' }[actorType];

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '–';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
