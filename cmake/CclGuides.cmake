# ccl_add_guides(<tool>...): for each tool a manual page, made from its command guide, and completions
# for bash, zsh and fish, made from the options that it parses. Both are installed with the tools.
#
# Manual pages need go-md2man, which is not needed for anything else: without it there are none.
function(ccl_add_guides)
  find_program(GO_MD2MAN go-md2man)
  if(NOT GO_MD2MAN)
    message(STATUS "no go-md2man: manual pages are not made")
  endif()
  set(man ${PROJECT_SOURCE_DIR}/utils/make_man.py)
  set(completions ${PROJECT_SOURCE_DIR}/utils/make_completions.py)
  set(made "")
  foreach(tool IN LISTS ARGN)
    set(guide ${PROJECT_SOURCE_DIR}/docs/CommandGuide/${tool}.md)
    set(page ${PROJECT_BINARY_DIR}/share/man/man1/${tool}.1)
    if(GO_MD2MAN)
      add_custom_command(OUTPUT ${page}
        COMMAND ${Python3_EXECUTABLE} ${man} --go-md2man ${GO_MD2MAN} --version ${PROJECT_VERSION} ${guide} ${page}
        DEPENDS ${man} ${guide} VERBATIM)
      list(APPEND made ${page})
      install(FILES ${page} DESTINATION share/man/man1 COMPONENT tools)
    endif()
    set(folder ${PROJECT_BINARY_DIR}/share/completions)
    add_custom_command(OUTPUT ${folder}/bash/${tool} ${folder}/zsh/_${tool} ${folder}/fish/${tool}.fish
      COMMAND ${Python3_EXECUTABLE} ${completions} $<TARGET_FILE:${tool}> ${folder}
      DEPENDS ${completions} ${tool} VERBATIM)
    list(APPEND made ${folder}/bash/${tool})
    install(FILES ${folder}/bash/${tool} DESTINATION share/bash-completion/completions COMPONENT tools)
    install(FILES ${folder}/zsh/_${tool} DESTINATION share/zsh/vendor-completions COMPONENT tools)
    install(FILES ${folder}/fish/${tool}.fish DESTINATION share/fish/vendor_completions.d COMPONENT tools)
  endforeach()
  add_custom_target(guides ALL DEPENDS ${made})
endfunction()
