/** Countdown to a round, and its likely end, for the back of the hall. */
import { served, t } from '../../language/language';
import { useNotices, useNow } from '../../components/Notices';
import { counted } from '../../model/countdown';

export function Countdown({ section }: { readonly section: string | null }) {
  const found = useNotices();
  const now_ms = useNow() + (found?.ahead_ms ?? 0);
  const rounds = (found?.told.rounds ?? []).filter((one) => section === null || one.section === section);
  const texts = (found?.told.announcements ?? []).filter((one) => section === null || one.section === null || one.section === section);
  return (
    <main class="countdown" data-testid="countdown" data-rounds={rounds.length}>
      <h1 class="unseen">{t('The round')}</h1>
      {texts.map(({ text }) => (
        <p key={text} class="announcement">{served(text)}</p>
      ))}
      {rounds.map((round) => {
        const { title, large, small } = counted(round, now_ms);
        return (
          <section key={round.section}>
            <h2>{title}</h2>
            <strong data-long={String(large.length > 5)}>{large}</strong>
            <p>{small}</p>
          </section>
        );
      })}
      {rounds.length === 0 && <p class="note">{t('No round is open. Its beginning is set on the directors\' page Round.')}</p>}
    </main>
  );
}
