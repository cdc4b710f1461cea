package io.github.switchover.jmeter.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.switchover.jmeter.view.Sheet.Column;
import java.awt.event.MouseEvent;
import java.util.List;
import javax.swing.JScrollPane;
import org.junit.jupiter.api.Test;

/** How a sheet shares the room that it has between its columns. */
class SheetTest {

    private static final String TIME = "08:12:40.123";
    private static final String SENTENCE = "haproxy-kill on lb1, confirmed by its process being gone ".repeat(4);

    private static final List<Column> EVENTS =
            List.of(new Column("time", 16, false), new Column("event", 13, false), new Column("", 60, false));

    @Test
    void a_time_is_never_cut_however_narrow_the_window() {
        for (int width : new int[] {1200, 470, 380, 200}) {
            Sheet sheet = shown(width);
            assertThat(sheet.getColumnModel().getColumn(0).getWidth())
                    .as("of %d", width)
                    .isGreaterThanOrEqualTo(letters(sheet, TIME));
            assertThat(sheet.getColumnModel().getColumn(1).getWidth())
                    .as("of %d", width)
                    .isGreaterThanOrEqualTo(letters(sheet, "fault confirmed"));
        }
    }

    /** At 200 % its letters are twice as wide. */
    @Test
    void a_larger_font_gets_more_room() {
        Sheet sheet = new Sheet();
        sheet.setFont(sheet.getFont().deriveFont(2 * sheet.getFont().getSize2D()));
        assertThat(laidOut(sheet, 380).getColumnModel().getColumn(0).getWidth())
                .isGreaterThanOrEqualTo(letters(sheet, TIME));
    }

    @Test
    void it_scrolls_sideways_only_where_there_is_no_room_for_all_columns() {
        assertThat(shown(470).getScrollableTracksViewportWidth()).isTrue();
        assertThat(shown(150).getScrollableTracksViewportWidth()).isFalse();
    }

    @Test
    void the_pointer_shows_the_whole_of_a_text_that_is_cut_and_as_plain_text() {
        Sheet sheet = shown(470);
        assertThat(sheet.getToolTipText(at(sheet, 2))).isEqualTo(SENTENCE);
        assertThat(sheet.getToolTipText(at(sheet, 0))).isNull();
        assertThat(sheet.createToolTip().getClientProperty("html.disable")).isEqualTo(true);
    }

    private static MouseEvent at(Sheet sheet, int column) {
        var place = sheet.getCellRect(0, column, false);
        return new MouseEvent(sheet, MouseEvent.MOUSE_MOVED, 0, 0, place.x + 3, place.y + 3, 0, false);
    }

    private static int letters(Sheet sheet, String text) {
        return sheet.getFontMetrics(sheet.getFont()).stringWidth(text);
    }

    private static Sheet shown(int width) {
        return laidOut(new Sheet(), width);
    }

    private static Sheet laidOut(Sheet sheet, int width) {
        sheet.show(EVENTS, List.of(List.of(Cell.number(TIME), Cell.text("fault confirmed"), Cell.text(SENTENCE))));
        JScrollPane pane = new JScrollPane(sheet);
        pane.setSize(width, 200);
        pane.doLayout();
        pane.getViewport().doLayout();
        sheet.doLayout();
        return sheet;
    }
}
