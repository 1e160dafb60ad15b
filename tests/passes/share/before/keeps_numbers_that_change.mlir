!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %a = "asc.get_system_cycle"() {form = "", at = "2:4"} : () -> !int
  "asc.printf"(%a, %a) {form = "desc: text, arguments: rest", format = "shown", at = "3:4"} : (!int, !int) -> ()
  %b = "asc.get_system_cycle"() {form = "", at = "4:4"} : () -> !int
  "asc.printf"(%b, %b) {form = "desc: text, arguments: rest", format = "shown", at = "5:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_numbers_that_change", parameters = ["n", "m", "x"]} : () -> ()
